// SPDX-License-Identifier: MIT
// The ground: an anti-aliased grid that fades out with the distance.
import * as THREE from 'three';

const VERTEX = `
varying vec2 at;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  at = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = `
varying vec2 at;
uniform vec2 middle;
uniform float spacing, reach;
uniform vec3 color;
float lines(float step) {
  vec2 cell = at / step;
  vec2 width = max(fwidth(cell), vec2(1e-6));
  vec2 away = abs(fract(cell - 0.5) - 0.5) / width;
  float line = 1.0 - min(min(away.x, away.y), 1.0);
  // Lines that are nearer to each other than pixels become nothing instead of noise.
  return line * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(at - middle) / reach);
  float line = max(lines(spacing), 0.3 * lines(spacing * 0.1));
  gl_FragColor = vec4(color, line * fade * 0.85);
  #include <colorspace_fragment>
}`;

export class Ground {
  constructor() {
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        middle: { value: new THREE.Vector2() },
        spacing: { value: 1 },
        reach: { value: 6 },
        color: { value: new THREE.Color() },
      },
    });
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2), this.material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
  }

  // Around `box`, which holds the whole motion of models of that height.
  fit(box, height, level) {
    const spacing = Math.pow(10, Math.round(Math.log10(Math.max(height, 1e-6) * 0.4)));
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const reach = 2.2 * height + 0.75 * Math.hypot(size.x, size.z);
    this.mesh.position.set(middle.x, level, middle.z);
    this.mesh.scale.set(reach, 1, reach);
    const { uniforms } = this.material;
    uniforms.middle.value.set(middle.x, middle.z);
    uniforms.spacing.value = spacing;
    uniforms.reach.value = reach;
    this.spacing = spacing;
  }
}
