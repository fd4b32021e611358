import type { help as en } from '../en/help.ts'
import type { Indonesian } from '../translation.ts'

export const help: Indonesian<typeof en> = {
  title: 'Jika ada masalah',
  lead: 'Yang perlu dilakukan, langkah demi langkah.',
  open: 'Ponsel hilang, nomor diblokir, PC baru: langkah demi langkah',
  hint: 'Yang perlu dilakukan jika ponsel, nomor, PC ini, atau karyawan tidak ada lagi.',
  show: 'Tampilkan langkahnya',
  to: {
    senders: 'Ke pengirim',
    messages: 'Ke pesan',
    backup: 'Ke cadangan',
    keys: 'Ke API key',
    access: 'Ke browser yang sedang masuk',
    acts: 'Ke tindakan pemilik',
    newKey: 'Ke “Cadangan di tangan orang lain”',
  },
  topics: {
    phone: {
      title: 'Ponsel hilang atau dicuri',
      one: 'Minta operator memblokir kartu SIM, lalu ambil kartu baru dengan nomor yang sama.',
      two: 'Daftarkan WhatsApp dengan nomor itu di ponsel lain. Ponsel yang hilang akan keluar dari WhatsApp.',
      three: 'Buka Pengirim di sini. Jika nomornya keluar, tekan “Tautkan lagi” dan pindai kodenya dengan ponsel baru.',
      four: 'Pesan yang menunggu keluar sendiri setelah nomor tersambung.',
    },
    banned: {
      title: 'Nomor diblokir WhatsApp',
      one: 'Buka WhatsApp di ponsel, tekan “Minta peninjauan”, dan jelaskan apa yang Anda kirim. Biasanya satu atau dua hari.',
      two: 'Sementara itu tambahkan nomor lain di Pengirim, dan pakai kode pengirimnya di program Anda.',
      three:
        'Buka nomor yang diblokir di Pengirim: satu tombol memindahkan yang menunggu ke nomor lain yang tersambung. Batalkan di Pesan yang tidak perlu dikirim lagi.',
      four: 'Setelah nomornya kembali, tautkan lagi dan kirim sedikit dulu: hanya kepada orang yang menunggu pesan.',
    },
    newPhone: {
      title: 'Ponsel baru',
      one: 'Pindahkan WhatsApp ke ponsel baru dengan nomor yang sama, sesuai petunjuk WhatsApp.',
      two: 'Buka Pengirim di sini. Jika nomornya keluar, tekan “Tautkan lagi” dan pindai kodenya dengan ponsel baru.',
      three: 'Yang lain tidak berubah: pesan, kunci, dan program tetap sama.',
      four: 'Simpan ponsel lama sampai pengirimnya tersambung.',
    },
    newPc: {
      title: 'PC baru',
      one: 'Jika PC lama masih jalan: cadangkan sekarang, lalu tutup Kurir di sana dan jangan dijalankan lagi.',
      two: 'Pasang Kurir di PC baru dan tekan “Saya punya cadangan”. Kuncinya ada di lembar darurat; untuk cadangan buatan Anda sendiri, kata sandi Anda.',
      three: 'Pengirim yang pesannya menunggu akan dijeda. Batalkan yang sudah terkirim, lalu lanjutkan.',
      four: 'Program di PC lain memerlukan alamat baru: lihat di Pengaturan, Jaringan.',
    },
    hands: {
      title: 'Cadangan di tangan orang lain',
      one: 'Pemegang cadangan dan kata sandinya punya semua isinya. Di ponsel, hapus Kurir dari perangkat tertaut, lalu tautkan nomornya lagi.',
      two: 'Untuk nomor resmi, buat token akses baru di Meta, lalu simpan di pengirimnya.',
      three: 'Buat secret baru untuk setiap webhook, dan API key baru untuk program Anda.',
      four: 'Lalu buat kunci enkripsi baru di Pengaturan, Cadangan, dan cetak lagi lembar daruratnya.',
    },
    staff: {
      title: 'Karyawan berhenti',
      one: 'Hapus API key di perangkat yang ikut pergi, dan beri kunci baru untuk yang lain.',
      two: 'Keluarkan browser yang dipakai orang itu.',
      three: 'Di ponsel toko, buka WhatsApp, Perangkat tertaut, dan hapus yang tidak Anda kenal.',
      four: 'Jika orang itu bisa melihat lembar darurat, buat kunci cadangan baru dan cetak lembarnya lagi.',
    },
  },
}
