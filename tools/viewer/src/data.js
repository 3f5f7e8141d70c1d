// SPDX-License-Identifier: MIT
// Reads the data blocks of the page. Whatever they hold came from files that are not trusted.

function textOf(id) {
  const element = document.getElementById(id);
  return element ? element.textContent : null;
}

function jsonOf(id) {
  const text = textOf(id);
  return text === null ? null : JSON.parse(text);
}

function bytesOf(id) {
  const text = textOf(id);
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// {preview, report or null, glbs, tets: files of tetrahedra}; the text blocks are dropped, since they are as large as the data.
export function readData() {
  const preview = jsonOf('preview');
  if (!preview) throw new Error('this page holds no data: it is the template of clipmill preview');
  const take = (id) => {
    const bytes = bytesOf(id);
    document.getElementById(id).remove();
    return bytes;
  };
  const glbs = preview.models.map((_, i) => take(`model${i}`));
  const tets = (preview.tets ?? []).map((_, i) => take(`tets${i}`));
  return { preview, report: jsonOf('report'), glbs, tets };
}

// The report of the clip with that index in the input, or null.
export function reportOfClip(report, index) {
  const clips = Array.isArray(report?.clips) ? report.clips : [];
  return clips.find((clip) => clip?.index === index) ?? null;
}

export function stagesOf(clipReport) {
  const stages = Array.isArray(clipReport?.stages) ? clipReport.stages : [];
  return stages.filter((stage) => stage && typeof stage === 'object');
}

export function listOf(stage, key) {
  return Array.isArray(stage?.[key]) ? stage[key].filter((e) => e && typeof e === 'object') : [];
}
