import type { welcome as en } from '../en/welcome.ts'
import type { Indonesian } from '../translation.ts'

export const welcome: Indonesian<typeof en> = {
  title: 'Selamat datang di Kurir',
  lead: 'Tiga langkah menuju pesan pertama Anda.',
  skip: 'Lewati perkenalan',
  finish: 'Ke beranda',
  steps: { sandbox: 'Lihat pesan sampai', link: 'Tautkan nomor Anda', key: 'Hubungkan program Anda' },
  sandbox: {
    heading: 'Kirim pesan pertama Anda',
    text: 'Sandbox bersikap seperti nomor WhatsApp, tetapi tidak ada yang keluar dari PC ini. Tekan Kirim dan lihat ponselnya.',
    message: 'Pesan',
    hello: 'Halo! Pesanan Anda sudah siap diambil.',
    send: 'Kirim',
    arrived: 'Sudah sampai. Setiap pesan melewati tahap ini: menunggu, terkirim, sampai, dibaca.',
  },
  link: {
    heading: 'Tautkan nomor toko Anda',
    text: 'Pesan keluar dari nomor WhatsApp Anda sendiri. Nomor tetap di ponsel; Kurir menjadi perangkat tertaut seperti WhatsApp Web.',
    name: 'Nama pengirim ini',
    example: 'Toko saya',
    start: 'Tampilkan kode',
  },
  key: {
    heading: 'Izinkan program Anda mengirim',
    text: 'Dengan kunci ini kasir atau program Anda bisa mengirim lewat Kurir. Buat satu, lalu salin contoh permintaannya ke program Anda.',
    name: 'Nama program',
    example: 'Kasir',
    create: 'Buat kunci',
    call: 'Contoh permintaan',
    callSandbox: 'Permintaan ini menuju sandbox: tidak ada yang keluar dari PC ini.',
    callReal:
      'Permintaan ini menuju sandbox: tidak ada yang keluar dari PC ini. Untuk mengirim dari {{name}}, tulis {{code}} sebagai sender_code.',
    hello: 'Halo dari program saya',
    docs: 'Semua permintaan dijelaskan di sini',
  },
}
