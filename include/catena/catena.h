// Catena: constrained and articulated dynamics. One include for everything.
#pragma once

#include "catena/algorithms.h"
#include "catena/analysis.h"
#include "catena/bodies.h"
#include "catena/body.h"
#include "catena/constraint.h"
#include "catena/force.h"
#include "catena/interrupt.h"
#include "catena/joints.h"
#include "catena/ledger.h"
#include "catena/math.h"
#include "catena/model.h"
#include "catena/options.h"
#include "catena/output.h"
#include "catena/scene.h"
#include "catena/simulation.h"
#include "catena/state.h"
