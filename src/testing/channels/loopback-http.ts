import { Agent, buildConnector } from 'undici';
import { readConfig } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { SelfAddressGuard, UndiciGuardedHttp, WebhookGuard } from '../../notifications/index.js';
import type { LoopbackReceiver } from './loopback-receiver.js';

class RealClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** The client of channels, whose every connection leads to the receiver, whatever the host. Targets are checked as ever. */
export class LoopbackHttp extends UndiciGuardedHttp {
  constructor(private readonly receiver: LoopbackReceiver) {
    const config = readConfig({});
    super(config, new WebhookGuard(config, new SelfAddressGuard({} as never, config)), new RealClock());
  }

  protected override createAgent(): Agent {
    const connect = buildConnector({ ca: this.receiver.authority.cert, allowH2: false });
    return new Agent({
      allowH2: false,
      connect: (options, callback) => {
        const servername = options.servername ?? options.hostname;
        connect({ ...options, hostname: '127.0.0.1', port: String(this.receiver.port), servername }, callback);
      },
    });
  }
}
