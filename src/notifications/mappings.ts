import { defineEntity, p } from '@mikro-orm/core';
import { Delivery, type DeliveryState } from './domain/delivery.js';
import { NotificationChannel, type InactiveReason, type OlderSecret } from './domain/notification-channel.js';
import { NotificationEvent } from './domain/notification-event.js';
import type { SummarySchedule } from './domain/summary.js';
import { type Mappable, TextArrayColumn } from '../platform/database/mapped-columns.js';

export const eventMapping = defineEntity({
  class: NotificationEvent as unknown as Mappable<NotificationEvent>,
  tableName: 'events',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    type: p.text(),
    entryId: p.text().nullable(),
    body: p.text(),
    createdAt: p.datetime(3),
    traceparent: p.text().nullable(),
  },
});

export const channelMapping = defineEntity({
  class: NotificationChannel as unknown as Mappable<NotificationChannel>,
  tableName: 'notification_channels',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    type: p.text(),
    target: p.text(),
    label: p.text().nullable(),
    canonicalTarget: p.text(),
    host: p.text(),
    sealedTarget: p.text().nullable(),
    sealedCredential: p.text().nullable(),
    sealedSecret: p.text().nullable(),
    olderSecrets: p.json().$type<readonly OlderSecret[]>(),
    active: p.boolean(),
    eventTypes: p.type(TextArrayColumn).$type<readonly string[]>(),
    tags: p.type(TextArrayColumn).$type<readonly string[]>(),
    headers: p.json().$type<Readonly<Record<string, string>>>(),
    reason: p.text().$type<InactiveReason>().nullable(),
    reasonDetail: p.text().nullable(),
    disabledAt: p.datetime(3).nullable(),
    firstFailureAt: p.datetime(3).nullable(),
    confirmedAt: p.datetime(3).nullable(),
    summary: p.json().$type<SummarySchedule>().nullable(),
    nextSummaryAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
});

export const deliveryMapping = defineEntity({
  class: Delivery as unknown as Mappable<Delivery>,
  tableName: 'deliveries',
  properties: {
    id: p.text().primary(),
    eventId: p.text(),
    channelId: p.text(),
    state: p.text().$type<DeliveryState>(),
    attempts: p.integer(),
    failures: p.integer(),
    nextAttemptAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    urgent: p.boolean(),
  },
});

export const notificationsMappings = [eventMapping, channelMapping, deliveryMapping];
