/* transfer.c - .tf: what the model needs for a transfer function at the operating point.
 *
 * Its outputs are the one that is asked for, and what the driving source answers with. A current
 * source without current at the output, or the source whose current is the output, shows the
 * resistance there. Both drives are given as phasors: the first is real, the second imaginary.
 */
#include "spice/reader.h"

static void drive(reader *r, ct_name input, double re, double im)
{
    ct_phasor p = {ct_name_text(r->ctx, input), re, im};
    CT_PUSH(r->arena, r->scope.at[MAIN].phasor, p);
}

/* 1 A into the first node, out of the second. */
static void write_probe(reader *r, token a, token b)
{
    ct_name name = ct_intern_text(r->ctx, "tf_probe");
    while (ct_sp_get(&r->value_taken, MAIN, name) || ct_sp_get(&r->taken, MAIN, name))
        name = ct_intern_format(r->ctx, "%s_", ct_name_text(r->ctx, name));
    ct_node terminal[] = {b.length ? ct_sp_terminal(r, b) : ct_sp_word_ref(r, "ground"),
                          ct_sp_terminal(r, a)};
    ct_node decl = ct_sp_decl(r, name, "A", ct_sp_real(r, 0, NULL));
    ct_sp_emit(r, ct_sp_node(r, CT_NODE_INPUT, 0, decl));
    ct_sp_emit(r, ct_sp_component(r, name, "isource", terminal, 2, 2,
                                  ct_sp_key(r, "i", ct_sp_ref(r, name))));
    drive(r, name, 0, 1);
}

/* i of a voltage source, v of a current source: SPICE counts both from + to -. */
static ct_node answer_of(reader *r, token source, bool voltage)
{
    uint32_t x = ct_sp_find_component(r, MAIN, ct_sp_lower(r, source));
    return ct_sp_field(r, ct_sp_ref(r, r->thing.at[x].name), voltage ? "i" : "v");
}

void ct_sp_write_transfer(reader *r)
{
    const transfer t = r->tf;
    uint32_t x = ct_sp_find_component(r, MAIN, ct_sp_lower(r, t.source));
    ct_sp_here(r, ct_sp_place(r, t.a));
    ct_node out = t.probe == 'v' ? ct_sp_voltage(r, t.a, t.b) : ct_sp_current(r, t.a);
    if (!out)
        return;
    uint32_t sensed = t.probe == 'v' ? 0 : ct_sp_find_component(r, MAIN, ct_sp_lower(r, t.a));
    if (t.probe == 'i' && (!sensed || r->thing.at[sensed].letter != 'v')) {
        ct_sp_error(r, "E802", ct_sp_place(r, t.a),
                    "an output current is that of a voltage source");
        return;
    }
    r->scope.at[MAIN].phasor.count = 0;
    drive(r, r->thing.at[x].input, 1, 0);
    if (sensed)
        drive(r, r->thing.at[sensed].input, 0, 1);
    else
        write_probe(r, t.a, t.b);
    bool voltage = r->thing.at[x].letter == 'v';
    ct_sp_output_column(r, out, sensed ? "output current" : "output voltage");
    ct_sp_output_column(r, answer_of(r, t.source, voltage),
                        voltage ? "input current" : "input voltage");
}
