// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace clipmill {

/// Calls body(start, end) for the blocks [0, block), [block, 2 block), .. of 0..count on up to
/// `threads` threads and returns when all are done. The blocks depend on `count` and `block` alone,
/// never on the number of threads, so a body that writes only to slots of its own block gives the
/// same result on any machine. threads < 1 means one for every core.
///
/// The caller works too, and so the body may call parallelFor() again. The other threads come from
/// one pool, which the process keeps; it grows to the largest number that was asked for.
///
/// Where bodies throw, the exception of the block with the lowest index is thrown to the caller,
/// for any number of threads. Blocks above it may not have been called then.
void parallelFor(std::size_t count, std::size_t block, int threads,
                 const std::function<void(std::size_t start, std::size_t end)>& body);

/// The number of threads that a setting of `threads` selects: itself, or all cores when below 1.
int threadCount(int threads);

}  // namespace clipmill
