<?php
// Sends Laravel's notifications through Kurir: put it into app/Notifications. A notification names it in via() and says
//   public function toKurir(object $order): array { return ['message' => 'Lunas', 'reference' => "INV-$order->id"]; }
// and the model says  public function routeNotificationForKurir() { return $this->phone; }
// In config/services.php: 'kurir' => ['url' => env('KURIR_URL', 'http://127.0.0.1:7420'), 'key' => env('KURIR_KEY'),
// 'sender' => env('KURIR_SENDER')]. Laravel 8 or newer; the tests run it with Laravel 8's HTTP client, without Laravel.

namespace App\Notifications;

use Illuminate\Http\Client\ConnectionException;
use Illuminate\Http\Client\Factory;
use RuntimeException;

/** Kurir said no: the same call would be refused again. */
class KurirRefused extends RuntimeException {}

class KurirChannel {
  private Factory $http;

  public function __construct(Factory $http) {
    $this->http = $http;
  }

  /**
   * Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. Returns Kurir's id of the
   * message. Let the notification be queued (ShouldQueue), so that no visitor waits while Kurir restarts. The reference
   * is your own number for this message: Kurir sends it once, however often it is called, also by a repeated job.
   */
  public function send(object $notifiable, object $notification): string {
    ['message' => $message, 'reference' => $reference] = $notification->toKurir($notifiable);
    $body = [
      'phone' => $notifiable->routeNotificationFor('kurir', $notification),
      'message' => $message,
      'reference_id' => $reference,
    ];
    if (config('services.kurir.sender')) $body['sender_code'] = config('services.kurir.sender');
    foreach ([1, 2, 5, 10, 0] as $pause) {
      try {
        $answer = $this->http->withToken(config('services.kurir.key'))
          ->withHeaders(['Idempotency-Key' => $reference])
          ->timeout(60)
          ->post(config('services.kurir.url') . '/send', $body);
        if ($answer->status() === 200 && $answer->json('data.id')) return $answer->json('data.id');
        // Too fast, or Kurir is closing: the same call again, a little later.
        if (!in_array($answer->status(), [200, 429, 500, 502, 503], true)) {
          throw new KurirRefused(($answer->json('error.code') ?? $answer->status()) . ': ' . $answer->json('message'));
        }
        if ($answer->header('Retry-After') !== '') $pause = min((int) $answer->header('Retry-After'), 60);
      } catch (ConnectionException $noAnswer) {
        // No answer: the reference keeps it from being sent twice.
      }
      sleep($pause);
    }
    throw new RuntimeException("Kurir does not take $reference now. Try again later, with the same reference.");
  }
}
