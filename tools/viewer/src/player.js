// SPDX-License-Identifier: MIT
// Time: which clip, where in it, how fast. Frames are those of clipmill: start + k / fps, and the
// end of the clip as the last one.

export class Player {
  constructor() {
    this.start = 0;
    this.end = 0;
    this.fps = 30;
    this.time = 0;
    this.rate = 1;
    this.playing = false;
    this.listeners = [];
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  notify() {
    for (const listener of this.listeners) listener(this);
  }

  setClip({ start, end, fps }) {
    this.start = start;
    this.end = Math.max(end, start);
    this.fps = fps > 0 ? fps : 30;
    this.time = start;
    this.notify();
  }

  get frameCount() {
    const frames = (this.end - this.start) * this.fps;
    return Math.max(1, Math.ceil(frames - 1e-4) + 1);
  }

  get frame() {
    const frame = Math.round((this.time - this.start) * this.fps);
    return Math.min(Math.max(frame, 0), this.frameCount - 1);
  }

  timeOf(frame) {
    return frame + 1 >= this.frameCount ? this.end : this.start + frame / this.fps;
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.notify();
  }

  step(frames) {
    this.pause();
    const count = this.frameCount;
    this.seek(this.timeOf((((this.frame + frames) % count) + count) % count));
  }

  play() {
    this.playing = true;
    this.notify();
  }

  pause() {
    this.playing = false;
    this.notify();
  }

  // After `seconds` of real time; clips start over at their end.
  advance(seconds) {
    const length = this.end - this.start;
    if (!this.playing || length <= 0) return;
    this.time = this.start + ((this.time - this.start + seconds * this.rate) % length);
    this.notify();
  }
}
