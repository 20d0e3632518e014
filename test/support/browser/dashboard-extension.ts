import { Controller, Get, Header, HttpCode, Redirect } from '@nestjs/common';
import {
  AllowAnyScope,
  defineExtension,
  HttpChannelSender,
  type HttpRequest,
  LookupSource,
  type Message,
  Public,
  RequiresScope,
  type Scope,
  type SourceAnswer,
  type SourceServer,
} from '../../../src/kit.js';

export const HOSTILE_LABEL = `\u202e"><img src=x onerror="window.hasRun=1">`;
/** Text of an extension that tries to be more than text. */
export const HOSTILE_PAGE = `<!doctype html><script>window.hasRun=1</script><img src=x onerror="window.hasRun=1"><style>*{display:none}</style>`;

/** Answers as well as any extension, and as badly. */
@Controller('v1/x/acme')
class AcmeController {
  @Get()
  @RequiresScope('acme:read' as Scope)
  list() {
    return { data: [{ page: 1, of: 'ACME' }] };
  }

  @Get('report.csv')
  @AllowAnyScope()
  @Header('content-type', 'text/csv')
  report() {
    return 'team,pages\nblue,7\n';
  }

  @Get('page')
  @Public()
  @Header('content-type', 'text/html')
  page() {
    return HOSTILE_PAGE;
  }

  @Get('huge')
  @AllowAnyScope()
  @Header('content-type', 'text/plain')
  huge() {
    return 'W'.repeat(5_000_001);
  }

  @Get('refusal')
  @AllowAnyScope()
  @HttpCode(401)
  @Header('content-type', 'text/html')
  refuse() {
    return HOSTILE_PAGE;
  }

  @Get('broken')
  @AllowAnyScope()
  fail() {
    throw new Error('it is broken');
  }

  @Get('elsewhere')
  @AllowAnyScope()
  @Redirect('/v1/x/acme/report.csv')
  leave() {
    return undefined;
  }
}

class AcmeSender extends HttpChannelSender {
  readonly type = 'acme';
  readonly secret = 'account';
  readonly example = { target: 'https://pager.example.test/teams/42', about: HOSTILE_LABEL };

  protected toRequest({ channel, event }: Message): HttpRequest {
    return { url: channel.target, headers: { authorization: `Bearer ${channel.credential}` }, body: event.body };
  }
}

class AcmeSource extends LookupSource {
  readonly name = 'acme.registry';
  readonly role = 'first';

  servers(): ReadonlyMap<string, SourceServer> {
    return new Map([['zoo', { host: 'registry.example.test', port: 443 }]]);
  }

  ask(): Promise<SourceAnswer> {
    throw new Error('no name below .zoo is asked for');
  }
}

const link = (label: string, path: string) => ({ label, path: `/v1/x/acme/${path}` });

export const acme = defineExtension({
  name: 'acme',
  compatibility: '*',
  controllers: [AcmeController],
  channelSenders: [AcmeSender],
  lookupSources: [AcmeSource],
  scopes: ['acme:read' as Scope],
  links: [
    { label: 'Pages', path: '/v1/x/acme', scope: 'acme:read' as Scope },
    link('Report', 'report.csv'),
    link(HOSTILE_LABEL, 'page'),
    link('Huge', 'huge'),
    link('Refusal', 'refusal'),
    link('Broken', 'broken'),
    link('Elsewhere', 'elsewhere'),
  ],
});
