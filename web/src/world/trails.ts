// trails.ts - where robots have been.
import type { Scene } from './scene';

const LENGTH = 500; // places of each robot
const JUMP = 1.5; // metres: a robot that was carried leaves no trail

export class Trails {
  readonly places = new Map<number, { x: number; y: number }[]>();

  /** Remembers where all robots are now, without those that have hardly moved. */
  note(scene: Scene): void {
    for (const robot of scene.robots()) {
      const list = this.places.get(robot.number) ?? [];
      const last = list[list.length - 1];
      const step = Math.min(0.04, robot.size.x / 4 || 0.04);
      const way = last === undefined ? Infinity : Math.hypot(robot.at.x - last.x, robot.at.y - last.y);
      if (way > JUMP && last !== undefined) {
        list.length = 0;
      }
      if (way >= step) {
        list.push({ x: robot.at.x, y: robot.at.y });
        if (list.length > LENGTH) {
          list.splice(0, list.length - LENGTH);
        }
        this.places.set(robot.number, list);
      }
    }
  }

  clear(): void {
    this.places.clear();
  }
}
