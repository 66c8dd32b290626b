/* model.h - what the files of .model cards share.
 *
 *     model.c    reading cards, and devices that name them
 *     bipolar.c  D, NPN and PNP; mos.c: NMOS and PMOS; jfet.c: NJF and PJF
 *     passive.c  R, C and L; switch.c: SW, CSW, VSWITCH and CSWITCH: no systems of their own
 *     heat.c     parameters at other temperatures
 *
 * A model becomes a system of library elements: the intrinsic device, its charges, and resistors in
 * series with it; what is zero is left out. Devices are instances of it, with their area or width
 * and length as keys. Each type is a table of the parameters that it knows.
 */
#ifndef CT_SPICE_MODEL_H
#define CT_SPICE_MODEL_H

#include "spice/reader.h"

/* Parameters: what is done with them. */
typedef enum use {
    USE,    /* honoured; see the functions that write and heat the model */
    FROZEN, /* only matters away from the nominal temperature, and is not modelled */
    NOISE,  /* only matters to noise */
    REFUSED /* has an effect that is not modelled: named in a warning */
} use;

typedef struct param_row {
    const char *name, *other; /* other: a second name, or NULL */
    use use;
} param_row;

enum { MOST_PARAMS = 80 };

typedef struct given {
    value v[MOST_PARAMS];
    token at[MOST_PARAMS];      /* length 0: not given */
    bool replaced[MOST_PARAMS]; /* by a number that is worked out */
} given;

struct writing;

typedef struct model_row {
    const char *type;
    char letter; /* of its devices */
    bool minus;  /* pnp, pmos: everything the other way round */
    const param_row *param;
    void (*write)(const struct writing *w);
    const char *ports[4];
    const char *const *instance; /* keys of devices; NULL-terminated */
} model_row;

typedef struct writing {
    reader *r;
    const model_row *row;
    given *g;
    double temperature, nominal; /* degrees Celsius */
} writing;

/* ---- values of the card (model.c); names are those of the table */
bool ct_sp_has(const writing *w, const char *name);
bool ct_sp_counts(const writing *w, const char *name); /* given, and not known to be zero */
value ct_sp_get_param(const writing *w, const char *name, double usual); /* new nodes each time */
double ct_sp_number_of(const writing *w, const char *name, double usual);
double ct_sp_early_number(const writing *w, const char *name, double usual); /* must be known */
void ct_sp_set_number(const writing *w, const char *name,
                      double number); /* in place of the card's */
/* key = value unit, when the card gives it. */
void ct_sp_pass(const writing *w, children *keys, const char *key, const char *name,
                const char *unit);
/* value*factor unit with a key of the instance: AREA, W .. */
ct_node ct_sp_scaled(const writing *w, value v, const char *factor, const char *unit);
void ct_sp_pass_scaled(const writing *w, children *keys, const char *key, const char *name,
                       double usual, const char *unit);
/* Times the number of devices in parallel, or divided by it. */
ct_node ct_sp_per_device(const writing *w, ct_node n, bool divide);
void ct_sp_put_key(const writing *w, children *keys, const char *key, double x, const char *unit);
void ct_sp_put_part(const writing *w, const char *name, const char *type, const char *a,
                    const char *b, children keys);
/* The element of the card's type, between the nodes of these names. */
void ct_sp_put_transistor(const writing *w, const char *name, const char *const *node,
                          uint32_t count, children keys);
/* R/AREA in series when the card gives it: the inner node, else the outer. */
const char *ct_sp_put_contact(const writing *w, const char *name, const char *outer,
                              const char *inner);
/* Anode and cathode change places in complementary types. */
void ct_sp_put_junction(const writing *w, const char *name, const char *type, const char *a,
                        const char *b, children keys);

/* Do charges matter to the analysis? At an operating point nothing flows into them. */
bool ct_sp_has_charges(const writing *w);

/* ---- devices that name a model (model.c) */
uint32_t ct_sp_model_named(reader *r, token name, char letter); /* 0: there is none */
void ct_sp_report_model(reader *r, token name, char letter);
writing ct_sp_open_model(reader *r, uint32_t index); /* of a model that is no system of its own */

/* ---- types */
extern const param_row ct_sp_diode_params[], ct_sp_bipolar_params[], ct_sp_mos_params[],
    ct_sp_jfet_params[], ct_sp_resistor_params[], ct_sp_capacitor_params[], ct_sp_inductor_params[],
    ct_sp_switch_params[];
void ct_sp_write_jfet(const writing *w);
void ct_sp_write_diode(const writing *w);
void ct_sp_write_bipolar(const writing *w);
void ct_sp_write_mos(const writing *w);

/* ---- heat.c */
double ct_sp_thermal_voltage(double celsius);
double ct_sp_energy_gap(double celsius); /* of silicon, in eV */
/* VT of the element, where it is not that of 27 degrees. */
void ct_sp_put_thermal(const writing *w, children *keys);
/* From the nominal temperature to that of the device. */
void ct_sp_heat_diode(const writing *w);
void ct_sp_heat_bipolar(const writing *w);
void ct_sp_heat_mos(const writing *w);
void ct_sp_heat_jfet(const writing *w);

#endif
