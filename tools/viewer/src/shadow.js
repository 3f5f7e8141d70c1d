// SPDX-License-Identifier: MIT
// Planar shadows: every vertex is moved along the light onto a plane by one matrix, and what comes
// out is drawn in one flat colour.
import * as THREE from 'three';

// The matrix that projects points onto the plane n.x + d = 0 along the light l, whose fourth number
// is 0 for a direction and 1 for a point: S = (p.l) I - l p^T with p = (n, d) (Blinn, "Me and My
// (Fake) Shadow", 1988).
export function planarShadowMatrix(plane, light, target = new THREE.Matrix4()) {
  const p = [plane.normal.x, plane.normal.y, plane.normal.z, plane.constant];
  const l = [light.x, light.y, light.z, light.w];
  const dot = p[0] * l[0] + p[1] * l[1] + p[2] * l[2] + p[3] * l[3];
  const rows = [];
  for (let r = 0; r < 4; ++r) {
    for (let c = 0; c < 4; ++c) rows.push((r === c ? dot : 0) - l[r] * p[c]);
  }
  return target.set(...rows);
}

// Draws the shadow of everything on `layer` of a scene, for a camera that has drawn the scene.
export class ShadowPass {
  constructor(layer) {
    this.plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);
    this.light = new THREE.Vector4(0.42, 1, 0.3, 0).normalize();
    this.matrix = new THREE.Matrix4();
    this.camera = new THREE.PerspectiveCamera();
    this.camera.matrixWorldAutoUpdate = false;
    this.camera.layers.set(layer);
    // Each pixel is darkened once, however many surfaces fall on it.
    this.material = new THREE.MeshBasicMaterial({
      transparent: true,
      side: THREE.DoubleSide,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -1,
      polygonOffsetUnits: -1,
      stencilWrite: true,
      stencilFunc: THREE.EqualStencilFunc,
      stencilRef: 0,
      stencilZPass: THREE.IncrementStencilOp,
      fog: false,
    });
    this.setHeight(0);
  }

  setHeight(height) {
    this.plane.constant = -height;
    planarShadowMatrix(this.plane, this.light, this.matrix);
  }

  // Where a point of the world throws its shadow.
  project(point) {
    const v = new THREE.Vector4(point.x, point.y, point.z, 1).applyMatrix4(this.matrix);
    return new THREE.Vector3(v.x / v.w, v.y / v.w, v.z / v.w);
  }

  render(renderer, scene, camera) {
    if (camera.position.y <= -this.plane.constant) return; // seen from below there is no ground
    this.camera.projectionMatrix.copy(camera.projectionMatrix);
    this.camera.projectionMatrixInverse.copy(camera.projectionMatrixInverse);
    this.camera.matrixWorld.copy(camera.matrixWorld);
    this.camera.matrixWorldInverse.multiplyMatrices(camera.matrixWorldInverse, this.matrix);
    scene.overrideMaterial = this.material;
    renderer.render(scene, this.camera);
    scene.overrideMaterial = null;
  }
}
