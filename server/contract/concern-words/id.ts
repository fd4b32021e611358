import type { ConcernTexts } from './texts.ts'

const KEPT = 'Pesan yang sudah diterima tetap tersimpan dan akan dikirim.'
const IN_DATABASE = 'Pesan yang sudah diterima ada di database, dan dikirim setelah database bekerja lagi.'
const NOTHING_LEAVES = 'Nomor ini tidak dapat mengirim sampai masalahnya selesai.'
const STATUS_UNKNOWN =
  'Pesan tetap terkirim, tetapi Kurir tidak tahu apakah pesan itu sampai: statusnya tetap “Diproses Meta”.'

export const id: ConcernTexts = {
  concerns: {
    storage_full: {
      title: 'Disk penuh: Kurir menolak pesan baru.',
      meaning: KEPT,
      advice: 'Kosongkan sebagian ruang di PC ini. Kurir akan lanjut sendiri.',
    },
    storage_gone: {
      title: 'File database hilang: Kurir menolak pesan baru.',
      meaning: 'File itu dihapus, dipindah, atau diganti saat Kurir berjalan.',
      advice: 'Kembalikan file itu lalu buka ulang Kurir, atau pulihkan dari cadangan.',
    },
    storage_read_only: {
      title: 'Kurir tidak boleh menulis ke folder datanya: pesan baru ditolak.',
      meaning: KEPT,
      advice: 'Beri pengguna yang menjalankan Kurir hak menulis ke folder data. Kurir akan lanjut sendiri.',
    },
    storage_unavailable: {
      title: 'Kurir tidak dapat menyimpan pesan: pesan baru ditolak.',
      meaning: `Mungkin database sedang dipakai program lain, atau disknya bermasalah. ${KEPT}`,
      advice:
        'Tutup program cadangan dan antivirus yang memakai folder data. Jika belum berhasil, nyalakan ulang PC ini.',
    },
    storage_server_away: {
      title: 'Server database tidak menjawab: Kurir menolak pesan baru.',
      meaning: `Untuk sementara tidak ada yang dikirim, dan nomor serta angka tidak dapat ditampilkan. ${IN_DATABASE}`,
      advice:
        'Jalankan server database, atau pulihkan jaringan antara server itu dan komputer ini. Kurir akan lanjut sendiri.',
    },
    storage_server_refuses: {
      title: 'Server database tidak menerima penulisan dari Kurir: pesan baru ditolak.',
      meaning: `Server itu hanya standby yang bisa dibaca, atau menolak login Kurir. ${IN_DATABASE}`,
      advice:
        'Jadikan standby itu server utama (promote) bila server utama sudah tidak ada. Jika bukan itu, periksa KURIR_DATABASE_URL dan hak rolenya; jawaban server tercatat di log.',
    },
    storage_server_newer: {
      title: 'Versi Kurir di komputer ini terlalu lama untuk databasenya: pesan baru ditolak.',
      meaning:
        'Komputer lain sudah mengubah database untuk versi yang lebih baru. Komputer lain tetap berjalan, dan mengirim yang sudah diterima di sini.',
      advice: 'Pasang versi yang sama dengan komputer lain di komputer ini.',
    },
    storage_server_full: {
      title: 'Disk server database penuh: Kurir menolak pesan baru.',
      meaning: IN_DATABASE,
      advice: 'Kosongkan sebagian ruang di server database. Kurir akan lanjut sendiri.',
    },
    files_unavailable: {
      title: 'File tidak dapat disimpan atau diambil: pesan dengan file menunggu, dan yang baru ditolak.',
      meaning: 'Penyimpanan objek sedang bermasalah atau menolak Kurir. Pesan tanpa file tetap terkirim seperti biasa.',
      advice: 'Periksa penyimpanan objek dan pengaturannya; jawabannya tercatat di log. Kurir lanjut sendiri.',
    },

    banned: {
      title: 'WhatsApp memblokir {name} secara permanen.',
      meaning: NOTHING_LEAVES,
      advice:
        'Buka WhatsApp di ponsel dan minta peninjauan di sana. Jangan tautkan lagi sebelum blokirnya dicabut. Yang mendesak, kirim lewat pengirim lain.',
    },
    locked: {
      title: 'WhatsApp mengunci {name}.',
      meaning: NOTHING_LEAVES,
      advice:
        'Buka WhatsApp di ponsel dan ikuti permintaannya. Setelah itu tekan “Coba lagi” di pengirim ini. Jangan tautkan lagi sebelum itu.',
    },
    temporarily_banned: {
      title: 'WhatsApp memblokir {name}[ sampai {until}].',
      meaning: 'Kurir tidak menyambung sebelum itu, lalu lanjut sendiri.',
      advice:
        'Tunggu. Jangan tautkan lagi dan jangan kirim dengan program lain: blokirnya bisa bertambah lama. Setelah itu, kurangi chat ke nomor baru.',
    },
    removed_by_whatsapp: {
      title: 'Tautan {name} kemungkinan diputus oleh WhatsApp.',
      meaning: 'Ini terjadi tidak lama setelah WhatsApp membatasi nomor ini.',
      advice:
        'Jangan tautkan lagi hari ini: nomornya bisa diblokir. Buka WhatsApp di ponsel, lihat pesannya, lalu tunggu sehari.',
    },
    restricted: {
      title: 'WhatsApp memblokir {name}.',
      meaning: NOTHING_LEAVES,
      advice:
        'Buka WhatsApp di ponsel: di sana ada alasan dan jalan keluarnya. Jangan tautkan lagi sebelum bisa dipakai di ponsel.',
    },
    logged_out: {
      title: 'Tautan {name} diputus dari ponsel.',
      meaning: 'Pesan menunggu paling lama tujuh hari dan terkirim setelah nomornya ditautkan lagi.',
      advice: 'Tautkan lagi dengan ponsel yang sama.',
    },
    session_unreadable: {
      title: 'Tautan {name} yang tersimpan tidak dapat dibaca.',
      meaning:
        'Berkasnya rusak atau dibuat dengan kunci lain. Pesan menunggu paling lama tujuh hari dan terkirim setelah nomornya ditautkan lagi.',
      advice: 'Tautkan lagi dengan ponsel yang sama. Jika terjadi lagi, periksa disk PC ini.',
    },
    other_phone: {
      title: '{name} ditautkan dengan nomor lain[: {detail}].',
      meaning: 'Pesannya ditahan sampai Anda memutuskan apakah boleh dikirim dari nomor itu.',
      advice: 'Bandingkan nomornya. Jika salah ponsel, putuskan tautannya dan tautkan ponsel yang benar.',
    },
    replaced: {
      title: '{name} dipakai program lain.',
      meaning: 'WhatsApp mengizinkan satu sambungan per tautan, dan program lain sedang memakainya.',
      advice: 'Tutup program lain itu, biasanya Kurir kedua dengan data yang sama, lalu pakai nomornya di sini.',
    },
    passkey_required: {
      title: 'WhatsApp meminta passkey sebelum menautkan {name}.',
      meaning:
        'Kurir belum bisa menjawab permintaan itu. Nomor yang sudah tertaut tetap tertaut, tetapi bisa diminta saat ditautkan lagi.',
      advice:
        'Pakai API resmi atau nomor lain: makin banyak akun yang diminta. Sebagian kecil tidak diminta lagi beberapa hari kemudian.',
    },
    pairing_code_refused: {
      title: 'WhatsApp menolak kode penautan untuk {name}.',
      meaning: 'Nomor ini belum tertaut.',
      advice: 'Periksa nomornya, tunggu seperempat jam, atau tautkan dengan kode QR.',
    },
    unlinked: {
      title: '{name} belum tertaut ke ponsel.',
      meaning: 'Pesan dari program Anda lewat nomor ini menunggu paling lama tujuh hari.',
      advice: 'Tautkan lewat WhatsApp di ponsel.',
    },
    protocol_outdated: {
      title: 'WhatsApp tidak menerima lagi versi Kurir ini: {name} tidak dapat tersambung.',
      meaning: 'Kurir mencoba sekali sehari dengan protokol terbaru yang dikenalnya.',
      advice: 'Perbarui Kurir.',
    },
    refused_by_whatsapp: {
      title: 'WhatsApp menolak sambungan {name}.',
      meaning: 'Kurir mencoba lagi setiap jam.',
      advice: 'Tunggu. Jika lebih dari sehari, perbarui Kurir. Jangan tautkan lagi.',
    },
    untrusted_server: {
      title: '{name} tidak dapat tersambung: ada yang menjawab di jaringan sebagai WhatsApp.',
      meaning: 'Kurir tidak memercayainya dan terus mencoba.',
      advice: 'Periksa halaman login Wi-Fi, proxy, atau antivirus yang membuka sambungan terenkripsi.',
    },
    offline: {
      title: '{name} tidak dapat menjangkau WhatsApp. Apakah PC ini online?',
      meaning: 'Kurir terus mencoba dan lanjut sendiri.',
      advice: 'Periksa koneksi internet PC ini.',
    },
    offline_alone: {
      title: 'WhatsApp tidak menerima sambungan {name}[ sejak {since}]. Nomor lain di PC ini tersambung.',
      meaning: 'Bukan koneksi internet PC ini. Kurir terus mencoba dan lanjut sendiri.',
      advice: 'Tunggu. Kalau berjam-jam, buka WhatsApp di ponsel nomor ini.',
    },

    token_refused: {
      title: 'Meta menolak token akses {name}.',
      meaning: NOTHING_LEAVES,
      advice: 'Buat token akses baru untuk system user di Meta Business Settings, lalu simpan di pengirim ini.',
    },
    secrets_unreadable: {
      title: 'Kunci rahasia {name} tidak dapat dibuka di PC ini.',
      meaning: `Folder datanya berasal dari PC lain, atau kuncinya diganti. ${NOTHING_LEAVES}`,
      advice: 'Masukkan lagi token akses, app secret, dan verify token.',
    },
    missing_permissions: {
      title: 'Izin token akses {name} belum lengkap.',
      meaning: NOTHING_LEAVES,
      advice:
        'Beri system user izin whatsapp_business_messaging dan whatsapp_business_management, buat token baru, lalu simpan di pengirim ini.',
    },
    wrong_ids: {
      title: 'Meta tidak mengenal ID {name}.',
      meaning: NOTHING_LEAVES,
      advice: 'Cocokkan ID nomor telepon dan ID akun dengan WhatsApp Manager.',
    },
    not_registered: {
      title: 'Nomor {name} belum terdaftar di Meta.',
      meaning: NOTHING_LEAVES,
      advice: 'Daftarkan dengan PIN enam digitnya.',
    },
    account_deleted: {
      title: 'Akun {name} sudah dihapus di Meta.',
      meaning: NOTHING_LEAVES,
      advice: 'Buat akun lain di Meta, atau kirim lewat pengirim lain.',
    },
    account_offboarded: {
      title: 'Akun {name} diputus dari Cloud API.',
      meaning: NOTHING_LEAVES,
      advice: 'Sambungkan lagi di Meta Business Settings.',
    },
    account_disabled: {
      title: 'Meta menonaktifkan akun {name}.',
      meaning: NOTHING_LEAVES,
      advice: 'Buka Business Support Home di Meta dan minta peninjauan.',
    },
    account_locked: {
      title: 'Meta mengunci akun {name}.',
      meaning: NOTHING_LEAVES,
      advice: 'Buka Business Support Home di Meta: di sana tertulis apa yang harus dilakukan.',
    },
    account_restricted: {
      title: 'Meta membatasi akun {name}[ sampai {until}].',
      meaning: 'Selama itu, pesan yang Anda mulai tidak dapat dikirim.',
      advice: 'Buka Business Support Home di Meta: di sana ada alasannya dan cara meminta peninjauan.',
    },
    number_blocked: {
      title: 'Meta tidak mengizinkan {name} mengirim.',
      meaning: NOTHING_LEAVES,
      advice: 'Buka nomor ini di WhatsApp Manager: alasannya tertulis di sana.',
    },
    wrong_app_secret: {
      title: 'App secret {name} salah.',
      meaning: STATUS_UNKNOWN,
      advice: 'Salin app secret dari dasbor aplikasi di Meta, lalu simpan di pengirim ini.',
    },
    callbacks_refused: {
      title: '{count} callback Meta untuk {name} ditolak: tanda tangannya salah.',
      meaning: STATUS_UNKNOWN,
      advice:
        'Masukkan app secret dari aplikasi yang memanggil. Jika bukan aplikasi Anda, ada pihak lain yang mencoba.',
    },
    not_moving: {
      title: '{name} tersambung, tetapi pesannya tidak keluar.',
      meaning: 'Seperempat jam tidak ada yang terkirim, padahal ada pesan yang sudah waktunya.',
      advice: 'Buka ulang Kurir. Jika terjadi lagi, simpan diagnostik di Pengaturan untuk orang yang membantu Anda.',
    },
    messages_failing: {
      title: '{failed} dari {total} pesan gagal {span}: {reasons}.',
      meaning: 'Tidak ada kabar bahwa pesan-pesan itu sampai.',
      advice: 'Lihat alasannya dan perbaiki yang salah sebelum mengirim lagi.',
    },
    wrong_numbers: {
      title: 'Banyak nomor berturut-turut tidak ada di WhatsApp: pesan pertama {name} menunggu[ sampai {until}].',
      meaning:
        'Menanyakan banyak nomor salah terlihat seperti spam bagi WhatsApp. Pelanggan lama tetap menerima pesan.',
      advice: 'Periksa nomor-nomor di program Anda. Kurir akan lanjut sendiri.',
    },
    new_chats_capped: {
      title: 'Jatah chat baru {name} dari WhatsApp sudah habis[ sampai {until}].',
      meaning: 'Pelanggan lama tetap menerima pesan. Pesan pertama menunggu dan terkirim sendiri.',
      advice: 'Tunggu. Mulai sekarang, kurangi chat ke nomor baru.',
    },
    reach_out_lock: {
      title: 'WhatsApp membatasi chat baru dari {name}[ sampai {until}].',
      meaning: 'Pelanggan lama tetap menerima pesan. Pesan pertama menunggu dan terkirim sendiri.',
      advice: 'Tunggu. Mulai sekarang, kurangi chat ke nomor baru.',
    },

    sending_long: {
      title: '{count} pesan {name} masih dikirim sejak {since}.',
      meaning: 'Belum diketahui apakah pesan itu sudah keluar.',
      advice: 'Lihat di Pesan apa kata percobaan terakhirnya. Tanyakan kepada pelanggan sebelum menulisnya lagi.',
    },
    disk_nearly_full: {
      title: 'Disk hampir penuh[: sisa {size}].',
      meaning: 'Jika penuh, Kurir menolak pesan baru.',
      advice: 'Kosongkan sebagian ruang di PC ini.',
    },
    statuses_cannot_arrive: {
      title: 'Meta tidak dapat melapor ke {name} apakah pesan sampai.',
      meaning: STATUS_UNKNOWN,
      advice: 'Siapkan alamat publik: tunnel ke port webhook, isi di Pengaturan dan di Meta.',
    },
    no_status_heard: {
      title: 'Meta belum melaporkan status ke {name} sejak {since}, padahal ada pesan yang terkirim.',
      meaning: STATUS_UNKNOWN,
      advice: 'Periksa apakah tunnel berjalan dan aplikasinya berlangganan “messages”.',
    },
    account_disable_scheduled: {
      title: 'Meta akan menonaktifkan akun {name}[ pada {until}].',
      meaning: 'Sampai saat itu pengiriman masih berjalan.',
      advice: 'Buka Business Support Home di Meta dan minta peninjauan.',
    },
    token_expires: {
      title: 'Token akses {name} akan berakhir[ pada {until}].',
      meaning: 'Setelah itu tidak ada yang dapat dikirim.',
      advice: 'Buat token tanpa batas waktu untuk system user di Meta Business Settings, lalu simpan di pengirim ini.',
    },
    account_violation: {
      title: 'Meta melaporkan bahwa {name} melanggar aturan[: {detail}].',
      meaning: 'Pengiriman masih berjalan. Pelanggaran berulang berujung pada pembatasan.',
      advice: 'Baca aturannya di Business Support Home di Meta dan ubah isi pesannya.',
    },
    account_limited: {
      title: 'Meta membatasi sebagian akun {name}[: {detail}].',
      meaning: 'Pesan template masih dapat dikirim.',
      advice: 'Buka Business Support Home di Meta: di sana ada alasannya.',
    },
    account_alert: {
      title: 'Ada pemberitahuan dari Meta tentang akun {name}[: {detail}].',
      meaning: 'Pengiriman masih berjalan.',
      advice: 'Buka WhatsApp Manager: di sana tertulis apa yang harus dilakukan.',
    },
    security_event: {
      title: 'Pengaturan keamanan {name} diubah di Meta[: {detail}].',
      meaning: 'Pengiriman masih berjalan.',
      advice: 'Jika bukan Anda, segera ganti PIN nomor ini di WhatsApp Manager.',
    },
    quality_red: {
      title: 'Kualitas {name} di Meta rendah.',
      meaning:
        'Terlalu banyak orang memblokir atau melaporkan pesannya. Meta dapat menurunkan batas atau memblokir nomornya.',
      advice: 'Kurangi pesan, dan hanya kirim kepada orang yang menunggunya, sampai kualitasnya pulih.',
    },
    template_paused: {
      title: '{count} template {name} tidak dapat dikirim lagi.',
      meaning: 'Meta menjeda, menonaktifkan, atau menolaknya. Pesan dengan template itu ditolak.',
      advice: 'Buka WhatsApp Manager: alasannya tertulis di sana. Sementara itu pakai template lain.',
    },
    template_quality_low: {
      title: 'Kualitas {count} template {name} rendah[: {detail}].',
      meaning: 'Meta menjeda template jika kualitasnya tetap rendah.',
      advice: 'Ubah isinya di WhatsApp Manager, atau kirim ke lebih sedikit orang.',
    },
    checks_failing: {
      title: '{name}: pemeriksaan “{check}” gagal.',
      meaning: 'Pengiriman mungkin hanya berjalan sebagian.',
      advice: 'Buka pengirim ini: caranya tertulis di sana.',
    },
    endpoint_failing: {
      title: '{host} tidak menerima callback.[ {count} menunggu.]',
      meaning: 'Program Anda tidak tahu bagaimana nasib pesannya. Kurir terus mencoba selama tiga hari.',
      advice: 'Lihat jawabannya, perbaiki, lalu pilih “Uji kirim”.',
    },
    endpoint_gone: {
      title: 'Callback ke {host} dimatikan: jawabannya “Gone”.[ {count} menunggu.]',
      meaning: 'Program Anda tidak tahu bagaimana nasib pesannya.',
      advice: 'Perbaiki alamatnya lalu nyalakan lagi webhook-nya, atau hapus.',
    },
    callbacks_dead: {
      title: '{count} callback ke {host} tidak dapat diantar.',
      meaning: 'Program Anda tidak tahu bagaimana nasib pesan-pesan ini. Kurir sudah berhenti mencoba.',
      advice: 'Kirim lagi, karena webhook-nya kini berjalan, atau buang.',
    },
    new_chats_nearly_used: {
      title: 'Jatah chat baru {name} dari WhatsApp hampir habis[ ({detail})].',
      meaning: 'Jika habis, pesan pertama akan menunggu.',
      advice: 'Untuk sementara, kurangi chat ke nomor baru.',
    },
    messaging_limit_near: {
      title: 'Batas orang yang boleh dihubungi {name} lebih dulu hampir tercapai[ ({detail})].',
      meaning:
        'Setelah itu Meta menolak sampai sebagian dari 24 jam terakhir berlalu. Batas ini dipakai bersama oleh semua nomor bisnis Anda.',
      advice: 'Kirim yang kurang mendesak besok.',
    },
    node_gone: {
      title: 'Node[ {detail}] tidak ada kabar sejak {since}.',
      meaning:
        'Node itu mati tanpa pamit, atau tidak dapat mencapai database. Pengirimnya sudah diambil alih node lain.',
      advice: 'Jalankan lagi node itu. Jika memang tidak dipakai lagi, keluarkan dari daftar node.',
    },
    clock_off: {
      title: 'Jam PC ini salah.',
      meaning: 'Lama tunggu pesan tetap seperti seharusnya, tetapi waktu di catatan bisa keliru.',
      advice: 'Biarkan sistem mengatur jamnya secara otomatis.',
    },
    graph_version_ends: {
      title: 'Meta akan mematikan antarmuka yang dipakai Kurir[ pada {until}].',
      meaning: 'Setelah itu pesan resmi bisa gagal.',
      advice: 'Perbarui Kurir sebelum itu.',
    },

    all_paused: {
      title: 'Anda menjeda semua pengiriman.',
      meaning: 'Pesan baru diterima dan menunggu.',
      advice: 'Lanjutkan jika sudah ingin mengirim lagi.',
    },
    paused: {
      title: 'Anda menjeda {name}.',
      meaning: 'Pesan baru diterima dan menunggu.',
      advice: 'Lanjutkan jika sudah ingin mengirim lagi.',
    },
    daily_cap: {
      title: '{name} mencapai batas harian dari Anda[ dan lanjut {until}].',
      meaning: 'Pesan menunggu dan terkirim sendiri.',
      advice: 'Naikkan batasnya di pengirim ini jika hari ini perlu lebih banyak.',
    },
    quiet_hours: {
      title: '{name} sedang jam tenang[ sampai {until}].',
      meaning: 'Pesan menunggu dan terkirim sendiri.',
      advice: 'Ubah jam tenangnya di pengirim ini jika kurang cocok.',
    },
    nothing_linked: {
      title: 'Belum ada nomor yang tertaut.',
      meaning: 'Sampai saat itu hanya sandbox yang berjalan, untuk mencoba.',
      advice: 'Tautkan nomor toko Anda dengan kode QR.',
    },

    owner_pages_open: {
      title: 'Halaman pemilik terbuka untuk perangkat lain di jaringan Anda, tanpa enkripsi.',
      meaning: 'Isinya dapat ikut terbaca di jaringan itu.',
      advice: 'Tutup di Pengaturan jika hanya PC ini yang memerlukannya.',
    },
    lan_open: {
      title: 'Program di jaringan Anda dapat mengirim lewat Kurir.',
      meaning: 'Program itu memerlukan kunci API.',
      advice: 'Tutup di Pengaturan jika semua program Anda berjalan di PC ini.',
    },
    template_category_changed: {
      title: 'Meta mengubah kategori {count} template {name}.',
      meaning: 'Harga pesan bergantung pada kategorinya.',
      advice: 'Lihat template-nya di WhatsApp Manager.',
    },
    messaging_limit_changed: {
      title: 'Meta mengubah batas orang yang boleh dihubungi {name} lebih dulu[: {detail}].',
      meaning: 'Batas ini dipakai bersama oleh semua nomor bisnis Anda.',
      advice: 'Tidak perlu berbuat apa-apa.',
    },
    name_approved: {
      title: 'Meta menyetujui nama tampilan {name}[: {detail}].',
      meaning: 'Pelanggan melihatnya setelah nomor didaftarkan ulang.',
      advice: 'Daftarkan ulang nomor ini dengan PIN enam angkanya.',
    },
    update_available: {
      title: 'Kurir {detail} siap dipasang.',
      meaning: 'Versi ini dipasang saat Kurir ditutup.',
      advice: 'Buka ulang dan perbarui saat sedang sepi.',
    },
    backup_never: {
      title: 'Kurir belum punya cadangan.',
      meaning: 'Jika PC ini rusak, tautan, kunci, dan catatan pesan hilang.',
      advice: 'Buat cadangan di Pengaturan dan simpan di tempat lain.',
    },
    backup_old: {
      title: 'Cadangan terakhir sudah {count} hari ({since}).',
      meaning: 'Perubahan sejak itu hilang jika PC ini rusak.',
      advice: 'Buat cadangan baru di Pengaturan.',
    },
    retention_never: {
      title: 'Pesan disimpan selamanya.',
      meaning: 'Database bertambah besar dengan setiap pesan.',
      advice: 'Pilih di Pengaturan berapa lama pesan disimpan.',
    },
  },
  actions: {
    link: 'Tautkan',
    link_again: 'Tautkan lagi',
    add_number: 'Tautkan nomor',
    resume: 'Lanjutkan',
    use_here: 'Pakai di sini',
    try_again: 'Coba lagi',
    resume_all: 'Lanjutkan semua',
    what_to_do: 'Lihat caranya',
    decide: 'Tentukan',
    enter_token: 'Isi token baru',
    enter_secret: 'Isi token dan App secret',
    correct_ids: 'Perbaiki ID',
    register: 'Daftarkan nomor',
    see_why: 'Lihat sebabnya',
    see_messages: 'Lihat',
    see_callbacks: 'Lihat',
    open_settings: 'Pengaturan',
    back_up: 'Buat cadangan',
    update: 'Perbarui',
  },
  reasons: {
    recipient_not_on_whatsapp: 'tidak ada di WhatsApp',
    account_restricted: 'WhatsApp membatasi chat baru',
    not_acknowledged: 'tidak dikonfirmasi WhatsApp',
    expired: 'terlalu lama menunggu',
    refused_by_whatsapp: 'ditolak WhatsApp',
    send_failed: 'tidak dapat disiapkan',
    recipient_opted_out: 'pelanggan tidak mau menerima',
    sender_deleted: 'pengirim dihapus',
    media_unreachable: 'file tidak dapat diunduh',
    media_too_large: 'file terlalu besar',
    media_blocked: 'alamat file belum diizinkan',
    media_invalid: 'file tidak bisa dipakai',
    media_gone: 'file sudah tidak ada di PC ini',
    template_not_sendable: 'template tidak cocok',
    provider_auth_failed: 'akses ditolak Meta',
    provider_rate_limited: 'terlalu cepat bagi Meta',
    provider_unavailable: 'Meta tidak dapat dihubungi',
    provider_rejected: 'ditolak Meta',
    delivery_failed: 'tidak dapat diantar WhatsApp',
    outcome_unknown: 'Meta tidak menjawab',
    no_final_status: 'tanpa status selama 30 hari',
  },
  otherReasons: 'karena alasan lain',
  waiting: '{waiting} pesan menunggu.',
  failed: '{failed} pesan gagal hari ini.',
  today: 'hari ini',
  sinceTime: 'sejak {time}',
  aNumber: 'sebuah nomor',
  numbers: '{count} nomor',
  aWebhook: 'sebuah webhook',
  checks: {
    token: 'Token akses',
    permissions: 'Izin',
    app_secret: 'App secret',
    number: 'Nomor',
    templates: 'Template',
    subscription: 'Langganan',
    public_address: 'Alamat publik',
    statuses: 'Laporan status',
  },
}
