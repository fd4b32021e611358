import type { Language } from '../server/contract/desktop.ts'

/**
 * The words of the shell itself. The pages have their own, and the server sends the texts of
 * concerns.
 */
const en = {
  open: 'Open Kurir',
  pauseAll: 'Pause all sending',
  resumeAll: 'Resume all sending',
  installUpdate: (version: string) => `Restart and update to ${version}`,
  quit: 'Quit',
  paused: 'Kurir: sending is paused',
  attention: (count: number) => `Kurir: ${count === 1 ? 'one thing needs' : `${count} things need`} your attention`,
  keepsRunning: {
    title: 'Kurir keeps running',
    body: 'Messages are still sent while the window is closed. Quit it from its sign near the clock.',
  },
  noPasswordStore: {
    title: 'This computer has no password store',
    body: "The key to Kurir's saved logins lies in a file that only your user can read. Keep your account to yourself.",
  },
  crashed: {
    title: 'Kurir stopped sending for a moment',
    body: 'It had a fault and starts again by itself. Waiting messages are kept.',
  },
  passkey: 'Confirm with the passkey of your WhatsApp account. This window closes by itself.',
  cannotStart: 'Kurir cannot start',
  keepsFailing:
    'Its sending service stops again and again. Restart the computer; if that does not help, reinstall Kurir. Your messages are kept.',
  tryAgain: 'Try again',
  vault: {
    locked: () =>
      "The key to Kurir's saved logins is locked, because this computer's password store is not available. Log in the way you did when Kurir was set up, unlock the password store, and start Kurir again.",
    foreign: (file: string) =>
      `The key to Kurir's saved logins (${file}) cannot be opened by this user on this computer. If the folder was copied from elsewhere, restore a backup instead. To start without the saved logins, move that file away and start Kurir again.`,
    damaged: (file: string) =>
      `${file} holds no key of Kurir's. Put the right file back from your copy of the computer's files, and start Kurir again.`,
  },
}

const id: typeof en = {
  open: 'Buka Kurir',
  pauseAll: 'Jeda semua pengiriman',
  resumeAll: 'Lanjutkan semua pengiriman',
  installUpdate: (version) => `Mulai ulang dan perbarui ke ${version}`,
  quit: 'Keluar',
  paused: 'Kurir: pengiriman dijeda',
  attention: (count) => `Kurir: ${count} hal perlu perhatian Anda`,
  keepsRunning: {
    title: 'Kurir tetap berjalan',
    body: 'Pesan tetap dikirim saat jendela ditutup. Keluar lewat tandanya di dekat jam.',
  },
  noPasswordStore: {
    title: 'Komputer ini tidak punya penyimpanan kata sandi',
    body: 'Kunci login Kurir disimpan dalam file yang hanya dapat dibaca oleh pengguna Anda. Jangan bagikan akun Anda.',
  },
  crashed: {
    title: 'Kurir sempat berhenti mengirim',
    body: 'Ada gangguan dan Kurir mulai lagi sendiri. Pesan yang menunggu tetap tersimpan.',
  },
  passkey: 'Konfirmasi dengan passkey akun WhatsApp Anda. Jendela ini menutup sendiri.',
  cannotStart: 'Kurir tidak dapat dijalankan',
  keepsFailing:
    'Layanan pengirimannya berhenti terus-menerus. Mulai ulang komputer; jika tidak membantu, pasang ulang Kurir. Pesan Anda tetap tersimpan.',
  tryAgain: 'Coba lagi',
  vault: {
    locked: () =>
      'Kunci login Kurir terkunci, karena penyimpanan kata sandi komputer ini tidak tersedia. Masuk seperti saat Kurir dipasang, buka penyimpanan kata sandinya, lalu jalankan Kurir lagi.',
    foreign: (file) =>
      `Kunci login Kurir (${file}) tidak dapat dibuka oleh pengguna ini di komputer ini. Jika foldernya disalin dari tempat lain, pulihkan dari cadangan. Untuk mulai baru tanpa login tersimpan, pindahkan file itu lalu jalankan Kurir lagi.`,
    damaged: (file) =>
      `${file} tidak berisi kunci Kurir. Kembalikan file yang benar dari salinan file komputer Anda, lalu jalankan Kurir lagi.`,
  },
}

export type Words = typeof en

export const wordsFor = (language: Language): Words => ({ en, id })[language]

/** Returns the language of the system, which counts until the server sends the owner's choice. */
export const systemLanguage = (locale: string): Language => (/^(id|in)\b/i.test(locale) ? 'id' : 'en')
