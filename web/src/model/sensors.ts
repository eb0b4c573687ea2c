// sensors.ts - what a device says about its numbers in its properties: names, units, uncertainties.

/** An input of a sensor that describes itself, as the driver `sensor` lists it. */
export type Input = { index: number; name: string; unit: string; min: number; max: number; uncertainty: number };

const INPUT = /(\d+) (.*?)(?: \(([^()]*)\))?, (\S+) to (\S+), resolution \S+, uncertainty ([-+.\deE]+)(?:; |$)/g;

/** "0 Light Sensor: Brightness (%), 0 to 100, resolution 1, uncertainty 0.3; 1 …" */
export function inputsOf(text: string): Input[] {
  return [...text.matchAll(INPUT)].map(([, index, name, unit, min, max, uncertainty]) => ({ index: +index, name, unit: unit ?? '', min: +min, max: +max, uncertainty: +uncertainty }));
}

/** Properties of a device by name. */
export type Facts = ReadonlyMap<string, unknown>;

/** What is known about the number at a path: its unit and uncertainty, if properties tell. */
export function factsAt(facts: Facts, path: string[]): { unit?: string; uncertainty: number } {
  const field = path.filter((step) => !/^\d+$/.test(step)).join('.');
  const known = (key: string) => facts.get(`${key}.${path.join('.')}`) ?? facts.get(`${key}.${field}`);
  const unit = known('unit');
  const uncertainty = Number(known('uncertainty') ?? facts.get('uncertainty') ?? 0);
  return { unit: typeof unit === 'string' && unit !== '' ? unit : undefined, uncertainty: uncertainty > 0 && Number.isFinite(uncertainty) ? uncertainty : 0 };
}
