import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A mail relay whose STARTTLS offer was stripped on the way. It records what it receives. */
export class StrippedRelay {
  private received = '';
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** @param echoes whether it refuses a login in words that repeat it, as some relays do */
  static async start({ echoes = false } = {}): Promise<StrippedRelay> {
    const server = createServer();
    const relay = new StrippedRelay(server);
    server.on('connection', (socket) => {
      relay.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.write('220 relay.example ESMTP\r\n');
      socket.on('data', (bytes) => {
        const line = bytes.toString();
        relay.received += line;
        if (/^EHLO/i.test(line)) socket.write('250-relay.example\r\n250 AUTH PLAIN LOGIN\r\n');
        else if (/^AUTH/i.test(line)) socket.write(echoes ? `535 not understood: ${line}` : '235 welcome\r\n');
        else socket.write('250 ok\r\n');
      });
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    return relay;
  }

  /** Loopback by an address that does not say so: only 127.0.0.0/8, ::1 and localhost need no TLS. */
  urlFor(user: string, password: string): string {
    return `smtp://${user}:${password}@0.0.0.0:${(this.server.address() as AddressInfo).port}`;
  }

  /** Everything that any client said. */
  get text(): string {
    return this.received;
  }

  close(): void {
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
  }
}
