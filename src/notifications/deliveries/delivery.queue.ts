import { Type } from 'class-transformer';
import { ArrayNotEmpty, IsArray, IsObject, IsUUID, Matches, ValidateNested } from 'class-validator';

export const DELIVERIES = 'deliveries';

class ClaimedDelivery {
  @Matches(/^dl_[0-9a-z]{26}$/) id: string;
  @IsUUID() token: string;
}

/** A job holds claims only; all else is read from PostgreSQL. */
export class DeliveryJob {
  @IsArray()
  @ArrayNotEmpty()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => ClaimedDelivery)
  deliveries: ClaimedDelivery[];
}
