// save.ts - files for the user.
export function save(name: string, type: string, data: BlobPart): void {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A chart with its ground and a legend as PNG. */
export function savePng(chart: HTMLCanvasElement, legend: { text: string; color: string }[], name: string): void {
  const ratio = devicePixelRatio;
  const canvas = document.createElement('canvas');
  const line = 16 * ratio;
  canvas.width = chart.width;
  canvas.height = chart.height + line * legend.length + 8 * ratio;
  const ctx = canvas.getContext('2d')!;
  const style = getComputedStyle(document.documentElement);
  ctx.fillStyle = style.getPropertyValue('--panel');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(chart, 0, 0);
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  legend.forEach((item, i) => {
    const y = chart.height + line * (i + 0.8);
    ctx.fillStyle = item.color;
    ctx.fillRect(12 * ratio, y - 9 * ratio, 10 * ratio, 10 * ratio);
    ctx.fillStyle = style.getPropertyValue('--ink');
    ctx.fillText(item.text, 28 * ratio, y);
  });
  canvas.toBlob(async (blob) => blob !== null && save(name, 'image/png', await blob.arrayBuffer()));
}
