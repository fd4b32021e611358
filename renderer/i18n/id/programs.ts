import type { programs as en } from '../en/programs.ts'
import type { Indonesian } from '../translation.ts'

export const programs: Indonesian<typeof en> = {
  title: 'Sebuah program memanggil seperti memanggil {{name}}',
  titleSlip: 'Sebuah program hampir benar memanggil Kurir',
  gone: 'Sudah sehari tidak memanggil. Jika memanggil lagi, Beranda memberi tahu.',
  times: 'Berapa kali',
  timesSince_other: '{{count}} kali sejak {{since}}',
  calls: 'Permintaannya',
  key: 'Dengan kunci yang berakhir',
  program: 'Menyebut dirinya',
  noMouth:
    'Kurir tidak dapat menjawab seperti {{name}}: yang dikirim ke sana milik akun Anda di sana. Jika programnya bisa disetel ke WAHA, Fonnte, atau Cloud API dari Meta, pilih salah satunya: program itu lalu muncul lagi di sini. Jika tidak, minta pembuatnya mengirim ke alamat Kurir sendiri; penjelasannya di /docs.',
  lead: 'Kurir bisa menjawabnya seperti {{name}}. Pesannya lalu keluar lewat pengirim dari kuncinya.',
  leadSlip: 'Maksudnya Kurir, tetapi alamat, metode, atau nama kolomnya bukan milik Kurir.',
  right:
    'Yang benar: POST ke alamat ini, dengan kolom “phone” dan “message”, dan kuncinya sebagai “Authorization: Bearer <kunci>”.',
  keyFor: 'Kunci untuk program itu',
  keyForHint: 'Dengan kunci sandbox Anda berlatih dulu: tidak ada yang keluar dari PC ini.',
  newFor: 'Kunci baru untuk {{name}}',
  mine: 'Kunci saya “{{name}}” (…{{hint}})',
  letIn: 'Izinkan masuk',
  makeKey: 'Buat kuncinya',
  leaveOut: 'Abaikan',
  leaveOutHint: 'Beranda tidak membicarakannya lagi. Di permintaan yang ditolak tetap ada.',
  isIn: 'Sekarang ubah dua hal di program itu',
  keyOnce: '1. Kuncinya',
  keyOnceHint: 'Pasang di tempat token atau API key yang lama. Kurir hanya menampilkannya sekarang.',
  keyMine: '1. Kuncinya: isikan kunci Anda “{{name}}” di tempat token atau API key yang lama.',
  address: '2. Alamatnya',
  copyAddress: 'Salin alamatnya',
  addressHint: 'Di tempat alamat {{name}} yang lama.',
  look: 'Kirim sesuatu dari program itu dan lihat di Pesan.',
  live: 'Jika semua baik, buat kunci untuk nomor Anda di API key dan isikan yang itu.',
}
