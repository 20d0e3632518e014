import type { Transporter } from 'nodemailer';

export type Mail = Transporter;
