/* robot.c - from the file of a robot to the syntax of its model. */
#include "robot/robot.h"

#include <string.h>

#include "base/file.h"
#include "robot/inside.h"

bool ct_is_robot(const char *path)
{
    static const char *const endings[] = {".urdf", ".sdf", ".mjcf", ".xml", NULL};
    return ct_has_ending(path, endings);
}

static const struct {
    const char *root;
    void (*read)(robot *r, uint32_t root);
    bool loops, forest;
} formats[] = {{"robot", ct_read_urdf, false, false},
               {"sdf", ct_read_sdf, true, true},
               {"mujoco", ct_read_mjcf, true, true}};

static void read_robot(robot *r)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ct_xml_is(r->x, CT_XML_ROOT, formats[i].root)) {
            r->loops = formats[i].loops;
            r->forest = formats[i].forest;
            formats[i].read(r, CT_XML_ROOT);
            return;
        }
    const ct_xml_element *e = &r->x->element.at[CT_XML_ROOT];
    ct_report *p =
        ct_robot_error(r, "E852", e->place, "<%s> is no robot", ct_name_text(r->ctx, e->name));
    ct_help(p, "URDF begins with <robot>, SDF with <sdf>, MJCF with <mujoco>");
}

/* What is parsed in place of a robot that cannot be read. */
static const ct_syntax *nothing(ct_context *ctx, uint32_t source)
{
    const char *path = ct_source_get(ctx, source)->path;
    const ct_syntax *s = ct_parse(ctx, ct_source_add(ctx, path, "", 0));
    ct_syntax *broken = CT_NEW(ctx->base, ct_syntax);
    *broken = *s;
    broken->broken = true;
    return broken;
}

static robot *open_robot(ct_context *ctx, ct_arena *arena, bool as_system)
{
    robot *r = CT_NEW(arena, robot);
    *r = (robot){.ctx = ctx,
                 .arena = arena,
                 .gravity = {0, 0, -9.81},
                 .floating = ctx->def.floating_base,
                 .as_system = as_system};
    ct_map_init(&r->links, arena);
    ct_map_init(&r->joints, arena);
    ct_map_init(&r->words, arena);
    ct_map_init(&r->materials, arena);
    return r;
}

const ct_syntax *ct_robot_parse(ct_context *ctx, uint32_t source, bool as_system)
{
    ct_arena *arena = ct_arena_new(ctx);
    robot *r = open_robot(ctx, arena, as_system);
    uint32_t text = 0;
    r->x = ct_xml_read(ctx, arena, source);
    if (r->x)
        read_robot(r);
    if (r->x && !r->broken && ct_make_trees(r)) {
        ct_name_all(r);
        text = ct_write_robot(r, source);
        ct_tell_left_out(r);
    }
    ct_arena_free(arena);
    return text ? ct_parse(ctx, text) : nothing(ctx, source);
}
