import { Agent, createServer, request } from 'node:http';
import { Listening } from './listening.js';

/** A reverse proxy or a balancer: it keeps its connections to the services that it passes requests on to. */
export class HttpProxy {
  /** Requests that lead to none. */
  readonly outside: string[] = [];
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly listening: Listening,
    private readonly path: string,
  ) {}

  /** @param service where to pass a request on; null where none is there. Below a path such as `/names`, which it removes. */
  static async start(service: () => string | null, path = ''): Promise<HttpProxy> {
    const server = createServer();
    const proxy = new HttpProxy(await Listening.on(server), path);
    server.on('request', (asked, answer) => {
      const { url = '', method, headers } = asked;
      const address = url.startsWith(`${path}/`) ? service() : null;
      if (address === null) {
        if (url !== '/favicon.ico') proxy.outside.push(`${method} ${url}`);
        return void answer.writeHead(502).end('no service is here');
      }
      const passed = request(
        `${address}${url.slice(path.length)}`,
        { method, headers, agent: proxy.agent },
        (reply) => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(answer);
        },
      );
      passed.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
      answer.on('close', () => passed.destroy());
      asked.pipe(passed);
    });
    return proxy;
  }

  /** With the path of the service: `http://127.0.0.1:41234/names`. */
  get url(): string {
    return `http://${this.listening.host}${this.path}`;
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    await this.listening.close();
  }
}
