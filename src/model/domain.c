/* domain.c - the table of domains. */
#include "model/domain.h"

#include <stddef.h>
#include <string.h>

static const ct_domain_row domains[] = {
    {"electrical",
     false,
     {{"v", "V", true, 0}, {"i", "A", false, 0}},
     {{"charge", "C", false}, {"flux", "V.s", true}}},
    {"hydraulic",
     false,
     {{"p", "Pa", true, 0}, {"q", "m^3/s", false, 0}},
     {{"volume", "m^3", false}, {"momentum", "Pa.s", true}}},
    {"thermal", false, {{"T", "K", true, 0}, {"Q", "W", false, 0}}, {{NULL, NULL, false}}},
    {"translational",
     true,
     {{"v", "m/s", true, 0}, {"F", "N", false, 0}, {"x", "m", true, -1}, {"a", "m/s^2", true, 1}},
     {{"momentum", "N.s", false}}},
    {"rotational",
     true,
     {{"w", "rad/s", true, 0},
      {"T", "N.m", false, 0},
      {"theta", "rad", true, -1},
      {"alpha", "rad/s^2", true, 1}},
     {{"momentum", "N.m.s", false}}},
};

const ct_domain_row *ct_domain_list(uint32_t *count)
{
    *count = sizeof domains / sizeof *domains;
    return domains;
}

const ct_domain_row *ct_domain_row_at(uint32_t domain)
{
    return &domains[domain];
}

bool ct_domain_find(const char *name, uint32_t *domain)
{
    for (uint32_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        if (strcmp(domains[i].name, name) == 0) {
            *domain = i;
            return true;
        }
    }
    return false;
}

int ct_domain_variable(uint32_t domain, const char *name)
{
    const ct_variable_row *row = domains[domain].variable;
    for (int i = 0; i < CT_DOMAIN_VARIABLES && row[i].name; i++)
        if (strcmp(row[i].name, name) == 0)
            return i;
    return -1;
}
