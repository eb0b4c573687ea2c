// amounts.ts - times and sizes for people.

/** 75.25 is "1:15.3". */
export function clockText(seconds: number): string {
  const tenths = Math.round(Math.max(0, seconds) * 10);
  const [hours, minutes, rest] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
  const tail = `${rest < 10 ? '0' : ''}${rest.toFixed(1)}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

/** 1234567 is "1.2 MB". */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let i = 0;
  while (bytes >= 999.5 && i < units.length - 1) {
    bytes /= 1000;
    i++;
  }
  return `${i === 0 || bytes >= 99.5 ? Math.round(bytes) : bytes.toFixed(1)} ${units[i]}`;
}
