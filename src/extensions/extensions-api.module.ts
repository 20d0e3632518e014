import { type DynamicModule, Module } from '@nestjs/common';
import { ExtensionsController } from './extensions.controller.js';
import { Extensions } from './extensions.js';

/** Tells callers about the extensions; only where routes are served. */
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
