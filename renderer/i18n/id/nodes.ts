import type { nodes as en } from '../en/nodes.ts'
import type { Indonesian } from '../translation.ts'

export const nodes: Indonesian<typeof en> = {
  title: 'Node',
  lead: 'Program-program yang memakai satu basis data bersama. Setiap nomor tertaut ada di salah satunya; kalau node itu mati, nomornya diambil alih node lain.',
  none: 'Kurir ini berjalan sendiri',
  noneHint: 'Pesannya ada di foldernya sendiri. Beberapa program juga bisa memakai satu basis data bersama.',
  alive: 'Berjalan',
  gone: 'Tidak ada kabar',
  here: 'Jendela ini ada di node ini',
  goneLead:
    'Node ini mati tanpa pamit, atau tidak dapat mencapai basis data. Jalankan lagi, atau keluarkan dari daftar jika memang tidak dipakai lagi.',
  forget: 'Keluarkan dari daftar',
  senders: 'Pengirim yang dipegang',
  heard: 'Kabar terakhir',
  started: 'Mulai berjalan',
  version: 'Versi',
  address: 'Alamat untuk node lain',
  takenOver: 'Pengirim yang diambil alih sejak mulai',
  fenced: 'Catatan terlambat yang ditolak sejak mulai',
}
