import { Module } from '@nestjs/common';
import { defineExtension } from 'namewatch';
import { RegistrarSettings } from './registrar-settings.js';
import { RegistrarSource } from './registrar-source.js';

@Module({ providers: [{ provide: RegistrarSettings, useFactory: () => RegistrarSettings.read(process.env) }] })
class RegistrarModule {}

export default defineExtension({
  name: 'registrar',
  compatibility: '^1.0.0',
  module: RegistrarModule,
  lookupSources: [RegistrarSource],
});
