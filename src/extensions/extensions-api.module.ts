import { type DynamicModule, Module } from '@nestjs/common';
import { ExtensionsController } from './extensions.controller.js';
import { Extensions } from './extensions.js';

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
