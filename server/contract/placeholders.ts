/**
 * Words in braces that Kurir fills in by itself, in English and Indonesian. The one list: every
 * other word in braces is a field of the person who writes, or a column of a table.
 */
export const PLACEHOLDERS = {
  date: ['date', 'tanggal'],
  time: ['time', 'jam'],
  phone: ['phone', 'nomor'],
  sender: ['sender', 'pengirim'],
} as const
