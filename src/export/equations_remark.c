/* equations_remark.c - what elements say about their laws, beside the equations. */
#include <string.h>

#include "export/equations_make.h"

enum { MOST_REMARKS = 24 };

/* Does the law of this component depend on the parameter? Its other values may make it vanish. */
static bool depends(maker *m, uint32_t component, const ct_element *e, const ct_element_param *p)
{
    ct_pool *pool = m->model->pool;
    const ct_expr *given = ct_component_params(m->model, component);
    ct_name *symbol = CT_NEW_ARRAY(m->arena, ct_name, e->slot_count + 1);
    ct_expr *value = CT_NEW_ARRAY(m->arena, ct_expr, e->slot_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->slot_count; i++) {
        if (e->slot_name[i] == p->name)
            continue;
        symbol[count] = e->slot_name[i];
        value[count++] = given[i];
    }
    for (uint32_t i = 0; i < e->equation_count; i++) {
        ct_expr law = ct_expr_sub(pool, e->equation[i].left, e->equation[i].right);
        law = ct_expr_substitute(pool, law, symbol, value, count);
        if (law && !ct_expr_is_number(pool, law) && ct_expr_has(pool, law, p->name))
            return true;
    }
    return false;
}

static const ct_element_param *param_of(const maker *m, const ct_element *e, const char *name,
                                        size_t length)
{
    for (uint32_t i = 0; i < e->param_count; i++) {
        const char *own = ct_name_text(m->model->ctx, e->param[i].name);
        if (strncmp(own, name, length) == 0 && own[length] == '\0')
            return &e->param[i];
    }
    return NULL;
}

/* The text with the value of {PARAM} put in; NULL: this component's law does not depend on it. */
static const char *remark_of(maker *m, uint32_t component, const ct_element *e)
{
    const char *open = strchr(e->remark, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close)
        return e->remark;
    const ct_element_param *p = param_of(m, e, open + 1, (size_t)(close - open - 1));
    if (!p || !depends(m, component, e, p))
        return NULL;
    ct_text text = ct_text_new(m->arena);
    ct_put_bytes(&text, e->remark, (size_t)(open - e->remark));
    ct_putf(&text, "%s = ", ct_name_text(m->model->ctx, p->name));
    ct_expr_put_read(m->model->pool, &text, ct_component_params(m->model, component)[p->slot]);
    ct_put(&text, p->has_dim && !ct_dim_is_one(p->dim) ? " " : "");
    if (p->has_dim && !ct_dim_is_one(p->dim))
        ct_dim_put(&text, p->dim);
    ct_put(&text, close + 1);
    return ct_text_string(&text);
}

/* Components with the same remark share a line. */
void ct_show_remarks(maker *m)
{
    const ct_model *model = m->model;
    CT_VEC(ct_text) line = {0};
    CT_VEC(const char *) end = {0};
    ct_map line_of;
    ct_map_init(&line_of, m->arena);
    for (uint32_t i = 0; i < model->component_count; i++) {
        const ct_element *e = model->element[model->component[i].element];
        const char *text = e->remark ? remark_of(m, i, e) : NULL;
        uint32_t known = text ? ct_map_get(&line_of, ct_intern_text(model->ctx, text)) : 0;
        if (!text || (!known && line.count == MOST_REMARKS))
            continue;
        const char *name = ct_name_text(model->ctx, model->component[i].name);
        if (known && line.at[known - 1].length > 80) {
            end.at[known - 1] = ct_printf(model->ctx, ", ...: %s", text);
        } else if (known) {
            ct_putf(&line.at[known - 1], ", %s", name);
        } else {
            CT_PUSH(m->arena, line, ct_text_new(m->arena));
            CT_PUSH(m->arena, end, ct_printf(model->ctx, ": %s", text));
            ct_put(&line.at[line.count - 1], name);
            ct_map_put(&line_of, ct_intern_text(model->ctx, text), line.count);
        }
    }
    const char **text = CT_NEW_ARRAY(m->arena, const char *, line.count + 1);
    for (uint32_t i = 0; i < line.count; i++) {
        ct_put(&line.at[i], end.at[i]);
        text[i] = ct_text_string(&line.at[i]);
    }
    ct_equation_group g = {.kind = CT_GROUP_REMARK,
                           .title = "Remarks",
                           .line = text,
                           .line_count = line.count,
                           .total = line.count};
    if (line.count)
        CT_PUSH(m->arena, m->group, g);
}
