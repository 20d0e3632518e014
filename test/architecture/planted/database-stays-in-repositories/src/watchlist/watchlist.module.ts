import { MikroOrmModule } from '@mikro-orm/nestjs';
import { entries } from './entries/entries.repository.js';

export const parts = [MikroOrmModule, entries];
