import type { acts as en } from '../en/acts.ts'
import type { Indonesian } from '../translation.ts'

export const acts: Indonesian<typeof en> = {
  title: 'Tindakan pemilik',
  lead: 'Semua perubahan di jendela ini, lewat baris perintah, dan oleh program dengan token pemilik. Disimpan setahun.',
  list: 'Terbaru di atas',
  empty: 'Belum ada',
  emptyHint: 'Yang Anda ubah mulai sekarang tercatat di sini.',
  more: 'Tampilkan yang lebih lama',
}
