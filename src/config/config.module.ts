import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TimeUnits } from '../kernel/time-units.js';
import { Config } from './config.js';
import * as sections from './sections.js';

const SECTIONS: readonly Type[] = Object.values(sections as unknown as Record<string, Type>);

@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    const parts = SECTIONS.map((section) => ({ provide: section, useValue: config }));
    const units = { provide: TimeUnits, useValue: TimeUnits.fromScale(config.timeScale) };
    return { module: ConfigModule, global: true, providers: [...parts, units], exports: [...SECTIONS, TimeUnits] };
  }
}
