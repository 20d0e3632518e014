import { ChecksController } from './checks/checks.controller.js';
import { VariantsController } from './checks/variants.controller.js';
import { RegistriesController } from './registries/registries.controller.js';

export const controllers = [ChecksController, VariantsController, RegistriesController];
