import type { states as en } from '../en/states.ts'
import type { Translation } from '../translation.ts'

export const states: Translation<typeof en> = {
  message: {
    queued: 'Menunggu',
    accepted: 'Diterima',
    sending: 'Dikirim',
    sent: 'Terkirim',
    delivered: 'Sampai',
    read: 'Dibaca',
    failed: 'Gagal',
    cancelled: 'Dibatalkan',
  },
  sender: {
    unlinked: 'Belum tertaut',
    linking: 'Menunggu ponsel',
    connecting: 'Menyambung',
    connected: 'Tersambung',
    offline: 'Tidak tersambung',
    logged_out: 'Keluar',
    replaced: 'Dipakai di tempat lain',
    restricted: 'Diblokir WhatsApp',
    paused: 'Dijeda',
  },
  senderWords: {
    unlinked: 'Belum ada ponsel yang tertaut ke pengirim ini.',
    linking: 'Kode sudah tampil; ponsel belum memindainya.',
    connecting: 'Kurir sedang menyambung ke WhatsApp.',
    connected: 'Semua baik.',
    offline: 'Tidak ada sambungan ke WhatsApp. Kurir terus mencoba sendiri.',
    logged_out: 'Nomor ini diputus dari ponsel.',
    replaced: 'Program lain mengambil alih sambungan nomor ini.',
    restricted: 'WhatsApp menolak nomor ini. Buka WhatsApp di ponsel: di sana ada alasannya.',
    paused: 'Anda menjeda pengirim ini. Pesan menunggu.',
  },
  kind: { linked: 'Nomor tertaut', official: 'Nomor resmi', sandbox: 'Sandbox' },
  heldBy: {
    pacing: 'Jeda antarpesan: berikutnya {{when}}',
    quiet_hours: 'Jam tenang sampai {{when}}',
    daily_cap: 'Batas harian tercapai, lanjut {{when}}',
    paused: 'Dijeda',
    not_connected: 'Menunggu sambungan',
  },
}
