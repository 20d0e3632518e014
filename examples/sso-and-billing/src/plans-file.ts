import { readFile } from 'node:fs/promises';
import { PlanSource, type PlansByName } from 'namewatch';
import { Injectable } from 'namewatch/nest';
import { SsoSettings } from './settings.js';

/** Plans that the billing system writes into a file; it is read again each minute. */
@Injectable()
export class PlansFile extends PlanSource {
  constructor(private readonly settings: SsoSettings) {
    super();
  }

  async load(): Promise<PlansByName> {
    return JSON.parse(await readFile(this.settings.plansFile, 'utf8')) as PlansByName;
  }
}
