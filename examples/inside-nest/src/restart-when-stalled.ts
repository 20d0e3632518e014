import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Namewatch } from 'namewatch';

/** Namewatch never ends a process that is not its own: this one does, and its supervisor starts it again. */
@Injectable()
export class RestartWhenStalled implements OnApplicationBootstrap {
  private readonly log = new Logger(RestartWhenStalled.name);

  constructor(private readonly namewatch: Namewatch) {}

  onApplicationBootstrap(): void {
    void this.namewatch.stalled.then((reason) => {
      this.log.fatal(reason);
      process.kill(process.pid, 'SIGTERM'); // shutdown hooks close everything first
    });
  }
}
