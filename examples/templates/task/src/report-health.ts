import { BackgroundTask } from 'namewatch';
import { Injectable } from 'namewatch/nest';
import { Settings } from './settings.js';

/** Tells another system each minute that Namewatch is at work. One process does so; a run that fails is repeated. */
@Injectable()
export class ReportHealth extends BackgroundTask {
  readonly name = 'report-health';
  readonly intervalSeconds = 60;
  override readonly limitSeconds = 30;

  constructor(private readonly settings: Settings) {
    super();
  }

  async run(signal: AbortSignal): Promise<void> {
    const response = await fetch(this.settings.url, { method: 'POST', signal });
    if (!response.ok) throw new Error(`${this.settings.url} answered ${response.status}`);
  }
}
