import { statuses } from '../../../server/words/id/messages.ts'
import type { states as en } from '../en/states.ts'
import type { Indonesian } from '../translation.ts'

export const states: Indonesian<typeof en> = {
  message: statuses,
  sender: {
    unlinked: 'Belum tertaut',
    linking: 'Menunggu ponsel',
    connecting: 'Menyambung',
    connected: 'Tersambung',
    offline: 'Tidak tersambung',
    logged_out: 'Tautan terputus',
    replaced: 'Dipakai di tempat lain',
    restricted: 'Diblokir WhatsApp',
    paused: 'Dijeda',
  },
  troubled: 'Perlu perhatian',
  senderHint: {
    unlinked: 'Belum ada ponsel yang tertaut ke pengirim ini.',
    linking: 'Kode sudah tampil; ponsel belum memindainya.',
    connecting: 'Kurir sedang menyambung ke WhatsApp.',
    connected: 'Siap mengirim.',
    offline: 'Tidak ada sambungan ke WhatsApp. Kurir terus mencoba sendiri.',
    logged_out: 'Tautan nomor ini diputus dari ponsel. Tautkan lagi; pesan yang menunggu akan dikirim.',
    replaced: 'Program lain mengambil alih sambungan nomor ini.',
    restricted:
      'WhatsApp menolak nomor ini. Buka WhatsApp di ponsel: di sana ada alasan dan jalan keluarnya. Jangan tautkan lagi sebelum bisa dipakai di ponsel.',
    paused: 'Anda menjeda pengirim ini. Pesan menunggu.',
  },
  kind: { linked: 'Nomor tertaut', official: 'Nomor resmi', sandbox: 'Sandbox' },
  messageHeld: {
    cancelling: 'Sebentar lagi dibatalkan',
    delay: 'Menunggu jadwal',
    paused: 'Pengirimnya dijeda',
    not_connected: 'Menunggu pengirimnya tersambung',
    suspended: 'PC ini tadi tidur; Kurir sedang bangun',
    first_contacts: 'WhatsApp sedang tidak menerima chat baru dari nomor ini',
    other_phone: 'Nomor lain ditautkan: konfirmasikan di halaman pengirim',
    wrong_numbers: 'Terlalu banyak nomor berurutan yang tidak ada di WhatsApp',
    new_link: 'Nomor ini baru ditautkan beberapa menit lalu dan masih membaca chatnya',
    retry: 'Dicoba lagi',
    quiet_hours: 'Jam tenang pengirimnya',
    daily_cap: 'Batas harian pengirimnya tercapai',
    pacing: 'Jeda antarpesan',
    queue: 'Menunggu giliran',
  },
  heldUntil: '{{why}}: {{when}}',
  heldBy: {
    pacing: 'Jeda antarpesan: berikutnya {{when}}',
    quiet_hours: 'Jam tenang sampai {{when}}',
    daily_cap: 'Batas harian tercapai, lanjut {{when}}',
    paused: 'Dijeda',
    not_connected: 'Menunggu sambungan',
    other_phone: 'Menunggu Anda mengonfirmasi nomor baru',
    wrong_numbers: 'Terlalu banyak nomor salah: pesan ke nomor baru lanjut {{when}}',
    new_link: 'Baru ditautkan dan masih membaca chatnya: pesan ke nomor baru lanjut {{when}}',
  },
}
