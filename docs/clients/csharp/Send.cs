using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading.Tasks;

// Sends one message: Send.exe <phone> <message> <reference> [address or path of a file]
// .NET Framework 4.6.1 or newer, or .NET 6 or newer; no package. KURIR_KEY holds the API key.
// csc Send.cs /r:System.Net.Http.dll /r:System.Runtime.Serialization.dll

/// <summary>What POST /send takes; file is an address. A member that is null is left out.</summary>
[DataContract]
public class Message
{
    [DataMember(EmitDefaultValue = false)] public string phone;
    [DataMember(EmitDefaultValue = false)] public string message;
    [DataMember(EmitDefaultValue = false)] public string file;
    [DataMember(EmitDefaultValue = false)] public string sender_code;
    [DataMember(EmitDefaultValue = false)] public string reference_id;
}

[DataContract]
public class Answer
{
    [DataMember] public string message;
    [DataMember] public Data data;
    [DataMember] public Error error;

    [DataContract] public class Data { [DataMember] public string id; }
    [DataContract] public class Error { [DataMember] public string code; }
}

/// <summary>Kurir said no: the same call would be refused again.</summary>
public class KurirRefused : Exception
{
    public KurirRefused(string sentence) : base(sentence) { }
}

public static class Kurir
{
    static readonly HttpClient Http = new HttpClient { Timeout = TimeSpan.FromSeconds(60) };
    static readonly HashSet<int> Again = new HashSet<int> { 429, 500, 502, 503 };

    static string Env(string name, string otherwise) { return Environment.GetEnvironmentVariable(name) ?? otherwise; }

    /// <summary>
    /// Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. Its reference_id is your own
    /// number for this message (such as INV-1001): Kurir sends it once, however often you ask.
    /// </summary>
    /// <param name="path">A file of this PC to send along, or null.</param>
    /// <returns>Kurir's id of the message.</returns>
    public static async Task<string> Send(Message message, string path)
    {
        var url = Env("KURIR_URL", "http://127.0.0.1:7420") + "/send";
        foreach (var pause in new[] { 1, 2, 5, 10, 0 })
        {
            var wait = TimeSpan.FromSeconds(pause);
            try
            {
                var request = new HttpRequestMessage(HttpMethod.Post, url);
                request.Headers.Add("Authorization", "Bearer " + Env("KURIR_KEY", ""));
                request.Headers.Add("Idempotency-Key", message.reference_id);
                request.Content = path == null
                    ? (HttpContent)new StringContent(ToJson(message), Encoding.UTF8, "application/json")
                    : Form(message, path);
                using (var response = await Http.SendAsync(request))
                {
                    var answer = FromJson(await response.Content.ReadAsStringAsync());
                    if (response.IsSuccessStatusCode) return answer.data.id;
                    // Too fast, or Kurir is closing: the same call again, a little later.
                    if (!Again.Contains((int)response.StatusCode))
                        throw new KurirRefused(answer.error.code + ": " + answer.message);
                    var after = response.Headers.RetryAfter;
                    if (after != null && after.Delta.HasValue) wait = after.Delta.Value;
                }
            }
            catch (HttpRequestException) { } // No answer, or half of one: the reference keeps it from being sent twice.
            catch (TaskCanceledException) { }
            catch (SerializationException) { }
            await Task.Delay(wait < TimeSpan.FromMinutes(1) ? wait : TimeSpan.FromMinutes(1));
        }
        throw new TimeoutException(
            "Kurir at " + url + " does not take " + message.reference_id + " now. Try again later, with the same reference.");
    }

    /// <summary>The same members as a form, with the file itself.</summary>
    static HttpContent Form(Message message, string path)
    {
        var form = new MultipartFormDataContent();
        form.Add(new StringContent(message.phone), "phone");
        form.Add(new StringContent(message.message), "message");
        form.Add(new StringContent(message.reference_id), "reference_id");
        if (message.sender_code != null) form.Add(new StringContent(message.sender_code), "sender_code");
        form.Add(new StreamContent(File.OpenRead(path)), "file", Path.GetFileName(path));
        return form;
    }

    static string ToJson(Message message)
    {
        var stream = new MemoryStream();
        new DataContractJsonSerializer(typeof(Message)).WriteObject(stream, message);
        return Encoding.UTF8.GetString(stream.ToArray());
    }

    static Answer FromJson(string json)
    {
        var stream = new MemoryStream(Encoding.UTF8.GetBytes(json));
        return (Answer)new DataContractJsonSerializer(typeof(Answer)).ReadObject(stream);
    }
}

public static class Program
{
    public static int Main(string[] args)
    {
        if (args.Length < 3)
        {
            Console.Error.WriteLine("Usage: Send.exe <phone> <message> <reference> [address or path of a file]");
            return 1;
        }
        try
        {
            var file = args.Length > 3 ? args[3] : null;
            var isPath = file != null && !file.StartsWith("http://") && !file.StartsWith("https://");
            var message = new Message
            {
                phone = args[0],
                message = args[1],
                reference_id = args[2],
                file = isPath ? null : file,
                sender_code = Environment.GetEnvironmentVariable("KURIR_SENDER"),
            };
            Console.WriteLine(Kurir.Send(message, isPath ? file : null).GetAwaiter().GetResult());
            return 0;
        }
        catch (Exception error)
        {
            if (!(error is KurirRefused || error is TimeoutException || error is IOException)) throw;
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }
}
