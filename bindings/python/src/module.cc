// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The module `clipmill._clipmill`: what the package clipmill is made of. Docstrings are in the
// package.
#include <pybind11/pybind11.h>

#include "asset.h"
#include "core/log.h"
#include "motion.h"
#include "pipeline/report.h"
#include "python_error.h"
#include "runs.h"

namespace clipmill::python {
namespace {

namespace py = pybind11;

// Raises clipmill.Error(text) with what the Error consists of.
void raise(const PythonError& failure) {
  const Error& error = failure.error();
  const py::object type = py::module_::import("clipmill._clipmill").attr("Error");
  py::object raised = type(failure.what());
  raised.attr("code") = pipeline::errorWord(error.code);
  raised.attr("location") = error.location;
  raised.attr("message") = error.message;
  raised.attr("remedy") = error.remedy;
  PyErr_SetObject(type.ptr(), raised.ptr());
}

}  // namespace
}  // namespace clipmill::python

PYBIND11_MODULE(_clipmill, module) {
  using namespace clipmill::python;
  module.attr("Error") = pybind11::reinterpret_steal<pybind11::object>(PyErr_NewExceptionWithDoc(
      "clipmill.Error", "An error of clipmill: code, location, message and remedy.",
      PyExc_RuntimeError, nullptr));
  pybind11::register_exception_translator([](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const PythonError& error) {
      raise(error);
    }
  });
  module.attr("__version__") = CLIPMILL_VERSION;
  addAssets(module);
  addMotions(module);
  addRuns(module);
}
