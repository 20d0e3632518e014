import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { defineExtension } from 'namewatch';
import type { ContractCase } from 'namewatch/testing';
import { limit } from './slack.js';

export const used: unknown[] = [createHmac, readFile, Injectable, defineExtension, limit];
export type Used = ContractCase;
