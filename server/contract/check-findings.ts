import { z } from 'zod'

/**
 * Findings of a check of an official sender, in every language of the window; values in double
 * braces.
 */
export const CHECK_FINDINGS = {
  token_forever: {
    en: 'The access token is valid and does not expire.',
    id: 'Token akses berlaku tanpa batas waktu.',
  },
  token_until: {
    en: 'The access token is valid until {{at}}.',
    id: 'Token akses berlaku sampai {{at}}.',
  },
  token_invalid: { en: 'The access token is not valid.', id: 'Token akses tidak berlaku.' },
  permissions_complete: {
    en: 'The token has both permissions that are needed.',
    id: 'Token memiliki kedua izin yang diperlukan.',
  },
  permissions_missing: { en: 'The token lacks {{missing}}.', id: 'Token belum memiliki izin {{missing}}.' },
  permissions_none: {
    en: 'The token lacks {{first}} and {{second}}.',
    id: 'Token belum memiliki izin {{first}} dan {{second}}.',
  },
  permissions_unknown: {
    en: 'Which permissions the token has is not known.',
    id: 'Izin token belum diketahui.',
  },
  secret_right: { en: 'The app secret is that of the app.', id: 'App secret cocok dengan aplikasinya.' },
  secret_wrong: {
    en: 'The app secret is not that of the app, so Meta’s callbacks are refused.',
    id: 'App secret tidak cocok, jadi callback dari Meta ditolak.',
  },
  secret_unknown: {
    en: 'The app secret could not be checked without the token.',
    id: 'App secret tidak dapat diperiksa tanpa token.',
  },
  number_unknown: {
    en: 'Meta knows no number with this phone number ID.',
    id: 'Meta tidak mengenal nomor dengan ID nomor telepon ini.',
  },
  number_empty: {
    en: 'Meta’s answer says nothing about a number.',
    id: 'Jawaban Meta tidak menyebut nomor apa pun.',
  },
  number: {
    en: '{{number}} ({{name}}): {{facts}}.',
    id: '{{number}} ({{name}}): status {{status}}, kualitas {{quality}}.',
  },
  number_limited: {
    en: '{{number}} ({{name}}): {{facts}}.',
    id: '{{number}} ({{name}}): status {{status}}, kualitas {{quality}}, batas {{limit}} orang dalam 24 jam untuk semua nomor bisnis Anda.',
  },
  number_elsewhere: {
    en: '{{number}} ({{name}}): {{facts}}. It does not belong to the account with this WABA ID.',
    id: '{{number}} ({{name}}) bukan milik akun dengan WABA ID ini.',
  },
  number_unregistered: {
    en: '{{number}} ({{name}}): {{facts}}. It is not registered.',
    id: '{{number}} ({{name}}) belum didaftarkan.',
  },
  templates_some: {
    en: '{{approved}} of {{all}} templates can be sent.',
    id: '{{approved}} dari {{all}} template dapat dikirim.',
  },
  templates_none: { en: 'No template is approved.', id: 'Belum ada template yang disetujui.' },
  subscribed: {
    en: 'Meta sends this account’s callbacks to your app.',
    id: 'Meta mengirim callback akun ini ke aplikasi Anda.',
  },
  subscribed_now: {
    en: 'Your app did not get this account’s callbacks; Kurir subscribed it just now.',
    id: 'Aplikasi Anda belum menerima callback akun ini; Kurir baru saja mendaftarkannya.',
  },
  address_none: {
    en: 'Meta has no address to call, so statuses cannot arrive.',
    id: 'Meta tidak punya alamat yang bisa dipanggil, jadi laporan status tidak sampai.',
  },
  address_elsewhere: {
    en: '{{url}} does not lead to this PC.',
    id: '{{url}} tidak menuju PC ini.',
  },
  address_not_entered: {
    en: '{{url}} leads to this PC, but is not entered at Meta.',
    id: '{{url}} menuju PC ini, tetapi belum dimasukkan di Meta.',
  },
  address_other: {
    en: 'Meta calls {{used}}, not {{url}}.',
    id: 'Meta memanggil {{used}}, bukan {{url}}.',
  },
  address_right: { en: '{{url}} leads to this PC.', id: '{{url}} menuju PC ini.' },
  address_used: {
    en: '{{url}} leads to this PC, and Meta calls it.',
    id: '{{url}} menuju PC ini, dan Meta memanggilnya.',
  },
  status_came: {
    en: 'Meta last reported a status at {{at}}.',
    id: 'Meta terakhir melaporkan status pada {{at}}.',
  },
  status_never: { en: 'Meta has not reported any status yet.', id: 'Meta belum pernah melaporkan status.' },
  // In English the exact words say it.
  meta_refused: { en: '', id: 'Meta menolak pemeriksaan ini.' },
  meta_away: { en: '', id: 'Meta tidak dapat dihubungi.' },
} as const

export type CheckFinding = keyof typeof CHECK_FINDINGS

const isCheckFinding = (name: unknown): name is CheckFinding =>
  typeof name === 'string' && Object.hasOwn(CHECK_FINDINGS, name)

export const finding = z.object({
  code: z.custom<CheckFinding>(isCheckFinding).meta({ type: 'string' }),
  values: z.record(z.string(), z.string()),
  exact: z.string().nullable().describe('What Meta or the network says, in its own language.'),
})
export type Finding = z.infer<typeof finding>

/** The sentence of a finding in a language, with its values. */
export const findingText = (
  language: keyof (typeof CHECK_FINDINGS)[CheckFinding],
  { code, values }: Pick<Finding, 'code' | 'values'>,
): string => CHECK_FINDINGS[code][language].replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
