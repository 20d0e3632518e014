import { Controller, Get, Inject } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../auth/index.js';
import { grants } from '../auth/language.js';
import { AllowAnyScope } from '../auth/views.js';
import { ExtensionSources } from '../domains/index.js';
import { type ChannelSender, EXTENSION_CHANNEL_SENDERS } from '../notifications/index.js';
import { ApiProblems } from '../platform/http/errors/api-problems.js';
import type { Extension } from './extension.js';
import { isPublicLink } from './extension-problems.js';
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
export class ExtensionsController {
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
  list(@CurrentCaller() caller: Caller): ExtensionsView {
    return { data: this.extensions.all.map((extension) => this.toView(extension, caller)) };
  }

  private toView(extension: Extension, caller: Caller): ExtensionView {
    const { name, scopes = [] } = extension;
    return {
      name,
      version: this.extensions.versionOf(extension),
      channel_types: this.senders.filter(({ type }) => isNameOf(name, type)).map(toChannelTypeView),
      lookup_sources: this.findSources(name),
      scopes: [...scopes],
      links: toLinkViews(extension, caller),
    };
  }

  /** As the engine asks them: checked, and from memory. */
  private findSources(extension: string): LookupSourceView[] {
    const { all } = this.modules.get(ExtensionSources, { strict: false });
    return all
      .filter(({ name }) => isNameOf(extension, name))
      .map((source) => ({ name: source.name, role: source.role, tlds: [...source.servers().keys()].sort() }));
  }
}

function toLinkViews(extension: Extension, { scopes }: Caller): ExtensionLinkView[] {
  const { links = [] } = extension;
  return links
    .filter(({ scope }) => scope === undefined || grants(scopes, scope))
    .map((link) => ({ label: link.label, path: link.path, public: isPublicLink(extension, link) }));
}
