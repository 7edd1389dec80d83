// Catena: constrained and articulated dynamics. One include for everything.
#pragma once

#include "catena/analysis.h"
#include "catena/assembly.h"
#include "catena/body.h"
#include "catena/constraint.h"
#include "catena/couplings.h"
#include "catena/curve.h"
#include "catena/deformable.h"
#include "catena/force.h"
#include "catena/joints.h"
#include "catena/lagrangian.h"
#include "catena/math.h"
#include "catena/model.h"
#include "catena/output.h"
#include "catena/scene.h"
#include "catena/simulation.h"
#include "catena/surfaces.h"
