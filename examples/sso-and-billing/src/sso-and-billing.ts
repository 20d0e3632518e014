import { Module } from '@nestjs/common';
import { defineExtension } from 'namewatch';
import { JwtAuthenticator } from './jwt-authenticator.js';
import { PlansFile } from './plans-file.js';
import { readSettings, Settings } from './settings.js';

@Module({ providers: [{ provide: Settings, useFactory: () => readSettings(process.env) }], exports: [Settings] })
class SettingsModule {}

/** Tokens of the company's single sign-on, and plans of its billing system. */
export default defineExtension({
  name: 'sso-and-billing',
  compatibility: '^1.0.0',
  module: SettingsModule,
  authenticators: [JwtAuthenticator],
  planSource: PlansFile,
});
