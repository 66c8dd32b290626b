/* dump.c - the flat model as text, for golden tests and curious users. */
#include "model/model.h"

static const char *text_of(const ct_model *m, ct_name name)
{
    return ct_name_text(m->ctx, name);
}

static void put_expr(const ct_model *m, ct_text *out, ct_expr e)
{
    ct_expr_put_some(m->pool, out, e);
}

static void put_dim(ct_text *out, ct_dim dim)
{
    ct_put(out, " : ");
    ct_dim_put(out, dim);
}

static void put_quantities(const ct_model *m, ct_text *out)
{
    static const char *const kinds[] = {"param", "input", "signal", "discrete"};
    for (uint32_t i = 0; i < m->quantity_count; i++) {
        const ct_quantity *q = &m->quantity[i];
        ct_putf(out, "%s %s", kinds[q->kind], text_of(m, q->name));
        put_dim(out, q->dim);
        if (q->value) {
            ct_put(out, " = ");
            put_expr(m, out, q->value);
        }
        ct_put(out, "\n");
    }
}

static void put_nodes(const ct_model *m, ct_text *out)
{
    for (uint32_t i = 0; i < m->node_count; i++) {
        const ct_model_node *n = &m->node[i];
        const char *domain = n->domain == CT_NO_DOMAIN ? "?" : ct_domain_row_at(n->domain)->name;
        ct_putf(out, "node %s : %s%s\n", text_of(m, n->name), domain, n->datum ? " (datum)" : "");
    }
}

static void put_terminals(const ct_model *m, ct_text *out, const ct_component *c,
                          const ct_element *e)
{
    ct_put(out, "(");
    for (uint32_t i = 0; i < e->terminal_count; i++) {
        bool same = i && e->terminal[i].group == e->terminal[i - 1].group;
        ct_put(out, i == 0 ? "" : same ? ", " : " | ");
        if (e->terminal[i].domain == CT_SIGNAL_PORT)
            put_expr(m, out, m->param_value[c->value + e->terminal[i].slot]);
        else
            ct_put(out, text_of(m, m->node[m->terminal_node[c->node + i]].name));
    }
    ct_put(out, ")");
}

static void put_params(const ct_model *m, ct_text *out, uint32_t component, const ct_element *e)
{
    const ct_expr *value = ct_component_params(m, component);
    for (uint32_t k = 0; k < e->param_count; k++) {
        const ct_element_param *p = &e->param[k];
        if (p->is_signal)
            continue;
        ct_putf(out, "%s %s = ", k ? "," : "", text_of(m, p->name));
        for (uint32_t i = 0; i < p->rows * p->cols; i++) {
            ct_put(out, i ? "; " : "");
            put_expr(m, out, value[p->slot + i]);
        }
    }
}

static void put_components(const ct_model *m, ct_text *out)
{
    for (uint32_t i = 0; i < m->component_count; i++) {
        const ct_component *c = &m->component[i];
        const ct_element *e = m->element[c->element];
        ct_putf(out, "%s : %s", text_of(m, c->name), text_of(m, e->name));
        put_terminals(m, out, c, e);
        put_params(m, out, i, e);
        ct_put(out, "\n");
        for (uint32_t k = 0; k < e->equation_count; k++) {
            ct_put(out, "    ");
            put_expr(m, out, ct_component_instance(m, i, e->equation[k].left));
            ct_put(out, " = ");
            put_expr(m, out, ct_component_instance(m, i, e->equation[k].right));
            ct_put(out, "\n");
        }
    }
}

static void put_vector(const ct_model *m, ct_text *out, const ct_vec3 *v)
{
    for (int i = 0; i < (m->mechanism->spatial ? 3 : 2); i++) {
        ct_put(out, i ? ", " : "[");
        put_expr(m, out, v->c[i]);
    }
    ct_put(out, "]");
}

static void put_value(const ct_model *m, ct_text *out, const char *name, ct_expr value)
{
    if (!value)
        return;
    ct_putf(out, ", %s = ", name);
    put_expr(m, out, value);
}

static void put_inertia(const ct_model *m, ct_text *out, const ct_body *b)
{
    static const char *const names[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
    if (!m->mechanism->spatial)
        put_value(m, out, "I", b->inertia[2]);
    for (int i = 0; m->mechanism->spatial && i < 6; i++)
        if (i < 3 || !ct_expr_is_zero(m->pool, b->inertia[i]))
            put_value(m, out, names[i], b->inertia[i]);
}

static void put_bodies(const ct_model *m, ct_text *out)
{
    const ct_mechanism *k = m->mechanism;
    for (uint32_t i = 1; i < k->body_count; i++) {
        const ct_body *b = &k->body[i];
        ct_putf(out, "%s %s: m = ",
                b->section    ? "section"
                : b->meshed   ? "fe_body"
                : b->cable    ? "cable"
                : b->flexible ? "flexible"
                : b->particle ? "particle"
                              : "body",
                text_of(m, b->name));
        put_expr(m, out, b->mass);
        if (!b->particle) {
            put_inertia(m, out, b);
            ct_put(out, ", com = ");
            put_vector(m, out, &b->com);
        }
        ct_put(out, "\n");
    }
    for (uint32_t i = 1; i < k->frame_count; i++) {
        const ct_frame *f = &k->frame[i];
        const ct_flex *flex = k->body[f->body].flex;
        if (k->body[f->body].frame == i || (flex && i - flex->line < flex->line_count))
            continue; /* the body's own; of pictures */
        ct_putf(out, "frame %s = ", text_of(m, f->name));
        put_vector(m, out, &f->at);
        if (!ct_expr_is_zero(m->pool, f->turn))
            put_value(m, out, "turn", f->turn);
        for (int n = 0; f->axes && n < 3; n++) {
            ct_put(out, n ? ", " : ", axes = ");
            put_vector(m, out, &f->axes[n]);
        }
        ct_put(out, "\n");
    }
}

static void put_ends(const ct_model *m, ct_text *out, uint32_t tail, uint32_t head)
{
    ct_putf(out, "(%s, %s)", text_of(m, m->mechanism->frame[tail].name),
            text_of(m, m->mechanism->frame[head].name));
}

static void put_joint(const ct_model *m, ct_text *out, const ct_joint *j)
{
    const ct_joint_type *type = &ct_joint_types[j->kind];
    ct_putf(out, "joint %s : %s", text_of(m, j->name), type->word);
    put_ends(m, out, j->tail, j->head);
    if (type->keys & CT_KEYS_AXIS || (m->mechanism->spatial && type->turns)) {
        ct_put(out, ", axis = ");
        put_vector(m, out, &j->axis);
    }
    put_value(m, out, "length", j->length);
    put_value(m, out, "beta", j->drive[CT_TURN]);
    put_value(m, out, "w", j->rate[CT_TURN]);
    put_value(m, out, "s", j->drive[CT_SLIDE]);
    put_value(m, out, "v", j->rate[CT_SLIDE]);
    put_value(m, out, "torque", j->load[CT_TURN]);
    put_value(m, out, "force", j->load[CT_SLIDE]);
    put_value(m, out, "force[2]", j->load[CT_SLIDE + 1]);
    put_value(m, out, "force[3]", j->load[CT_SLIDE + 2]);
    ct_put(out, "\n");
}

static void put_loads(const ct_model *m, ct_text *out)
{
    const ct_mechanism *k = m->mechanism;
    for (uint32_t i = 0; i < k->load_count; i++) {
        const ct_vector_load *load = &k->load[i];
        ct_putf(out, "%s %s", load->torque ? "torque" : "force", text_of(m, load->name));
        put_ends(m, out, load->tail, load->head);
        ct_put(out, " = ");
        if (load->torque && !k->spatial)
            put_expr(m, out, load->value.c[2]);
        else
            put_vector(m, out, &load->value);
        if (load->axes != CT_GROUND_FRAME)
            ct_putf(out, " in axes of %s", text_of(m, k->frame[load->axes].name));
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < k->line_count; i++) {
        ct_putf(out, "line %s", text_of(m, k->line[i].name));
        put_ends(m, out, k->line[i].tail, k->line[i].head);
        put_value(m, out, "force", k->line[i].load);
        ct_put(out, "\n");
    }
}

static void put_mechanism(const ct_model *m, ct_text *out)
{
    const ct_mechanism *k = m->mechanism;
    if (!k)
        return;
    ct_putf(out, "space %s\ngravity ", k->spatial ? "spatial" : "planar");
    put_vector(m, out, &k->gravity);
    ct_putf(out, "\ncoordinates %s\n", ct_coordinate_words[k->coordinates].word);
    put_bodies(m, out);
    for (uint32_t i = 0; i < k->joint_count; i++)
        put_joint(m, out, &k->joint[i]);
    put_loads(m, out);
    for (uint32_t i = 0; i < k->wish_count; i++) {
        const ct_branch_wish *w = &k->wish[i];
        ct_name name =
            w->kind == CT_BRANCH_JOINT ? k->joint[w->object].name : k->body[w->object].name;
        ct_putf(out, "tree%s %s\n",
                w->translational && w->rotational ? ""
                : w->translational                ? " translational:"
                                                  : " rotational:",
                text_of(m, name));
    }
    for (uint32_t i = 0; i < k->motion_count; i++)
        ct_putf(out, "reads %s\n", text_of(m, k->motion[i].name));
}

static void put_results(const ct_model *m, ct_text *out)
{
    for (uint32_t i = 0; i < m->start_count; i++) {
        ct_put(out, m->start[i].guess ? "guess " : "initial ");
        put_expr(m, out, m->start[i].variable);
        ct_put(out, " = ");
        put_expr(m, out, m->start[i].value);
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < m->wish_count; i++)
        ct_putf(out, "tree %s\n",
                text_of(m, ct_edge_name(m, m->wish[i].component, m->wish[i].edge)));
    for (uint32_t i = 0; i < m->output_count; i++) {
        ct_putf(out, "output %s", m->output[i].name);
        put_dim(out, m->output[i].dim);
        ct_put(out, " = ");
        put_expr(m, out, m->output[i].expr);
        ct_put(out, "\n");
    }
    for (uint32_t i = 0; i < m->curve_count; i++)
        ct_putf(out, "plot %u: %s over %s\n", m->curve[i].figure, m->curve[i].label,
                m->curve[i].over ? m->curve[i].over_label : "t");
}

static void put_happenings(const ct_model *m, ct_text *out)
{
    for (uint32_t i = 0; i < m->happening_count; i++) {
        const ct_happening *h = &m->happening[i];
        ct_put(out, h->clock ? "every " : "when ");
        put_expr(m, out, h->condition);
        if (h->offset) {
            ct_put(out, " offset ");
            put_expr(m, out, h->offset);
        }
        ct_put(out, "\n");
        for (uint32_t k = 0; k < h->assigned_count; k++) {
            const ct_assignment *a = &h->assigned[k];
            ct_put(out, "  ");
            if (a->target)
                put_expr(m, out, a->target);
            ct_put(out, a->target ? " = " : "stop = ");
            if (a->target)
                put_expr(m, out, a->value);
            else
                ct_putf(out, "\"%s\"", a->why);
            ct_put(out, "\n");
        }
    }
}

static void put_run(const ct_model *m, ct_text *out)
{
    const struct {
        const char *name;
        ct_expr value;
    } rows[] = {{"start", m->run.start}, {"stop", m->run.stop},     {"tol", m->run.tol},
                {"atol", m->run.atol},   {"points", m->run.points}, {"step", m->run.step}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].value)
            continue;
        ct_putf(out, "simulate %s = ", rows[i].name);
        put_expr(m, out, rows[i].value);
        ct_put(out, "\n");
    }
    if (m->run.method)
        ct_putf(out, "simulate method = %s\n", text_of(m, m->run.method));
    if (m->initial_equilibrium)
        ct_put(out, "initial equilibrium\n");
}

void ct_model_dump(const ct_model *m, ct_text *out)
{
    ct_putf(out, "model %s", m->name ? text_of(m, m->name) : "(no name)");
    if (m->title)
        ct_putf(out, " \"%s\"", m->title);
    ct_put(out, "\n");
    put_quantities(m, out);
    put_nodes(m, out);
    put_components(m, out);
    put_mechanism(m, out);
    put_results(m, out);
    put_happenings(m, out);
    put_run(m, out);
}
