import { PlanSource, type PlansByName } from 'namewatch';
import { Injectable } from 'namewatch/nest';
import { readFile } from 'node:fs/promises';
import { Settings } from './settings.js';

/** While it rejects, the service keeps the plans of before. */
@Injectable()
export class PlansFile extends PlanSource {
  constructor(private readonly settings: Settings) {
    super();
  }

  async load(): Promise<PlansByName> {
    return JSON.parse(await readFile(this.settings.file, 'utf8')) as PlansByName;
  }
}
