<?php
// Runs docs/clients/laravel/KurirChannel.php with Laravel's HTTP client: php laravel.php <phone> <message> <reference>
// The client is in Debian's packages php-illuminate-http and php-guzzlehttp-guzzle.
require '/usr/share/php/Illuminate/Http/autoload.php';
require '/usr/share/php/GuzzleHttp/autoload.php';
require __DIR__ . '/../../../docs/clients/laravel/KurirChannel.php';

function config(string $name): ?string {
  return getenv('KURIR_' . strtoupper(substr($name, strlen('services.kurir.')))) ?: null;
}

[, $phone, $message, $reference] = $argv;
$customer = new class($phone) {
  public string $phone;
  public function __construct(string $phone) { $this->phone = $phone; }
  public function routeNotificationFor(string $channel): string { return $this->phone; }
};
$notification = new class($message, $reference) {
  public array $content;
  public function __construct(string $message, string $reference) { $this->content = compact('message', 'reference'); }
  public function toKurir(object $notifiable): array { return $this->content; }
};
try {
  echo (new App\Notifications\KurirChannel(new Illuminate\Http\Client\Factory()))->send($customer, $notification), "\n";
} catch (RuntimeException $problem) {
  fwrite(STDERR, $problem->getMessage() . "\n");
  exit(1);
}
