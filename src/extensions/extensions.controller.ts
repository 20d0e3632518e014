import { Controller, type DynamicModule, Get, Inject, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../auth/index.js';
import { grants } from '../auth/language.js';
import { AllowAnyScope } from '../auth/views.js';
import { ExtensionSources } from '../domains/index.js';
import { type ChannelSender, EXTENSION_CHANNEL_SENDERS } from '../notifications/index.js';
import { ApiProblems } from '../platform/http/errors/api-problems.js';
import type { Extension } from './extension.js';
import { findPublicPaths } from './route-problems.js';
import { Extensions } from './extensions.js';
import {
  EXTENSIONS_EXAMPLES,
  type ExtensionLinkView,
  ExtensionsView,
  type ExtensionView,
  type LookupSourceView,
  toChannelTypeView,
} from './extensions.dto.js';
import { isNameOf } from './port-problems.js';

@ApiTags('Extensions')
@Controller('v1/extensions')
class ExtensionsController {
  constructor(
    private readonly extensions: Extensions,
    private readonly modules: ModuleRef,
    @Inject(EXTENSION_CHANNEL_SENDERS) private readonly senders: readonly ChannelSender[],
  ) {}

  @Get()
  @AllowAnyScope()
  @ApiOperation({
    operationId: 'listExtensions',
    summary: 'List the extensions of this service, and what they add',
    description: 'Of the process that answers.',
  })
  @ApiOkResponse({ description: 'All of them.', type: ExtensionsView, examples: EXTENSIONS_EXAMPLES })
  @ApiProblems()
  async list(@CurrentCaller() caller: Caller): Promise<ExtensionsView> {
    return { data: await Promise.all(this.extensions.all.map((extension) => this.toView(extension, caller))) };
  }

  private async toView(extension: Extension, caller: Caller): Promise<ExtensionView> {
    const { name, scopes = [] } = extension;
    return {
      name,
      version: this.extensions.versionOf(extension),
      channel_types: this.senders.filter(({ type }) => isNameOf(name, type)).map(toChannelTypeView),
      lookup_sources: this.findSources(name),
      scopes: [...scopes],
      links: await toLinkViews(extension, caller),
    };
  }

  /**
   * Returns the extension's lookup sources with their TLDs. Reads them from the lookup engine, which has checked and
   * cached them.
   */
  private findSources(extension: string): LookupSourceView[] {
    const { all } = this.modules.get(ExtensionSources, { strict: false });
    return all
      .filter(({ name }) => isNameOf(extension, name))
      .map((source) => ({ name: source.name, role: source.role, tlds: [...source.servers().keys()].sort() }));
  }
}

async function toLinkViews(extension: Extension, { scopes }: Caller): Promise<ExtensionLinkView[]> {
  const { links = [] } = extension;
  const open = await findPublicPaths(extension);
  return links
    .filter(({ scope }) => scope === undefined || grants(scopes, scope))
    .map(({ label, path }) => ({ label, path, public: open.has(path) }));
}

/** Routes about the extensions, for processes that serve the API. */
@Module({})
export class ExtensionsApiModule {
  static register(extensions: Extensions): DynamicModule {
    return {
      module: ExtensionsApiModule,
      controllers: [ExtensionsController],
      providers: [{ provide: Extensions, useValue: extensions }],
    };
  }
}
