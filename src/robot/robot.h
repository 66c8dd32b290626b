/* robot.h - robots of other programs: URDF, SDF and MJCF become a model text.
 *
 * A reader of each format fills a list of links and joints; tree.c checks that they form trees and
 * joins what is fixed; write.c makes the text, which is parsed like any other. The text remembers
 * which tag each statement came from (ct_source_piece), so that messages of all later stages show
 * the robot's file.
 */
#ifndef CT_ROBOT_ROBOT_H
#define CT_ROBOT_ROBOT_H

#include "base/context.h"
#include "lang/syntax.h"

/* By the ending of its name: .urdf, .sdf, .mjcf, .xml. */
bool ct_is_robot(const char *path);

/* The model of a robot. as_system: one `system` of its name with a port `base`, for `use`. */
const ct_syntax *ct_robot_parse(ct_context *ctx, uint32_t source, bool as_system);

#endif
