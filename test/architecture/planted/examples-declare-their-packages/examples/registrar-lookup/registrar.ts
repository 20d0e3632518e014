import { Injectable } from '@nestjs/common';
import { request } from 'undici';

export const used: unknown[] = [Injectable, request];
