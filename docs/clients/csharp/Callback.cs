using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

// Takes Kurir's callbacks on http://localhost:8090/: Callback.exe
// (Windows lets every account listen under this name; 127.0.0.1 would need `netsh http add urlacl`.)
// The secret is the whole whsec_… that Kurir's window showed under Webhooks.
// .NET Framework 4.6.1 or newer, or .NET 6 or newer; no package. csc Callback.cs
public static class Callback
{
    static readonly string Secret = Env("KURIR_WEBHOOK_SECRET", "whsec_…");
    static readonly string Inbox = Env("KURIR_INBOX", "inbox");

    static string Env(string name, string otherwise) { return Environment.GetEnvironmentVariable(name) ?? otherwise; }

    public static bool IsFromKurir(string secret, string id, string timestamp, string signatures, byte[] rawBody)
    {
        long seconds;
        if (id == null || signatures == null || !long.TryParse(timestamp, out seconds)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
        var head = Encoding.UTF8.GetBytes(id + "." + timestamp + ".");
        var signed = new byte[head.Length + rawBody.Length];
        head.CopyTo(signed, 0);
        rawBody.CopyTo(signed, head.Length);
        using (var hmac = new HMACSHA256(Convert.FromBase64String(secret.Substring("whsec_".Length))))
        {
            var expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(signed));
            foreach (var given in signatures.Split(' '))
                if (IsEqual(expected, given)) return true;
        }
        return false;
    }

    /// <summary>Takes as long for a wrong text as for a right one.</summary>
    static bool IsEqual(string expected, string given)
    {
        if (expected.Length != given.Length) return false;
        var difference = 0;
        for (var i = 0; i < expected.Length; i++) difference |= expected[i] ^ given[i];
        return difference == 0;
    }

    static void Take(HttpListenerContext call)
    {
        var status = 500;
        try
        {
            var body = new MemoryStream();
            call.Request.InputStream.CopyTo(body);
            var headers = call.Request.Headers;
            var id = headers["webhook-id"];
            if (!IsFromKurir(Secret, id, headers["webhook-timestamp"], headers["webhook-signature"], body.ToArray()))
            {
                status = 401;
                return;
            }
            // Keep it first and answer; another program does the work. A repeated callback has the same id, and so the
            // same file.
            Directory.CreateDirectory(Inbox);
            File.WriteAllBytes(Path.Combine(Inbox, Path.GetFileName(id) + ".json"), body.ToArray());
            status = 204;
        }
        catch (IOException error)
        {
            Console.Error.WriteLine(error.Message);
        }
        finally
        {
            call.Response.StatusCode = status;
            call.Response.Close();
        }
    }

    public static void Main()
    {
        var listener = new HttpListener();
        listener.Prefixes.Add("http://localhost:" + Env("PORT", "8090") + "/");
        listener.Start();
        while (true)
        {
            var call = listener.GetContext();
            Task.Run(() => Take(call));
        }
    }
}
