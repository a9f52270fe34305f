// SPDX-License-Identifier: Apache-2.0
//
// The other party, made of Bouncy Castle: ECIES in the form of SEC 1, EC-AES, ECMQV.
//
// Reads a request a line, words and octets in hex ("-": none), and answers with octets in hex, or with
// "refused". IESEngine without V is SEC 1's form: Z alone goes into the key, and nothing says how long
// SharedInfo2 is.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.sec.SECNamedCurves;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.BasicAgreement;
import org.bouncycastle.crypto.BufferedBlockCipher;
import org.bouncycastle.crypto.CipherParameters;
import org.bouncycastle.crypto.CryptoException;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.agreement.ECDHBasicAgreement;
import org.bouncycastle.crypto.agreement.ECDHCBasicAgreement;
import org.bouncycastle.crypto.agreement.ECMQVBasicAgreement;
import org.bouncycastle.crypto.digests.SHA1Digest;
import org.bouncycastle.crypto.digests.SHA224Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA384Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.engines.IESEngine;
import org.bouncycastle.crypto.generators.KDF2BytesGenerator;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.modes.CBCBlockCipher;
import org.bouncycastle.crypto.modes.SICBlockCipher;
import org.bouncycastle.crypto.paddings.PaddedBufferedBlockCipher;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.params.IESParameters;
import org.bouncycastle.crypto.params.IESWithCipherParameters;
import org.bouncycastle.crypto.params.KDFParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.MQVPrivateParameters;
import org.bouncycastle.crypto.params.MQVPublicParameters;
import org.bouncycastle.crypto.params.ParametersWithIV;
import org.bouncycastle.util.BigIntegers;

public class Peer {
    private static final HexFormat HEX = HexFormat.of();
    private final ECDomainParameters domain;

    Peer(String curve) {
        X9ECParameters p = SECNamedCurves.getByName(curve);
        domain = new ECDomainParameters(p.getCurve(), p.getG(), p.getN(), p.getH());
    }

    static byte[] octets(String word) {
        return word.equals("-") ? new byte[0] : HEX.parseHex(word);
    }

    ECPrivateKeyParameters secret(String word) {
        return new ECPrivateKeyParameters(new BigInteger(word, 16), domain);
    }

    ECPublicKeyParameters point(String word) {
        return new ECPublicKeyParameters(domain.getCurve().decodePoint(octets(word)), domain);
    }

    static Digest digest(String name) {
        switch (name) {
            case "sha1": return new SHA1Digest();
            case "sha224": return new SHA224Digest();
            case "sha256": return new SHA256Digest();
            case "sha384": return new SHA384Digest();
            default: return new SHA512Digest();
        }
    }

    static BasicAgreement primitive(String name) {
        return name.equals("cofactor") ? new ECDHCBasicAgreement() : new ECDHBasicAgreement();
    }

    // primitive, cipher, KDF's hash, MAC's hash, private key, public key, text, SharedInfo1, SharedInfo2
    byte[] ecies(boolean seal, List<String> w) throws Exception {
        String cipher = w.get(1);
        KDF2BytesGenerator kdf = new KDF2BytesGenerator(digest(w.get(2)));
        HMac mac = new HMac(digest(w.get(3)));
        int macBits = 8 * mac.getMacSize();
        byte[] info1 = octets(w.get(7)), info2 = octets(w.get(8));
        IESEngine engine;
        CipherParameters parameters;
        if (cipher.equals("xor")) {
            engine = new IESEngine(primitive(w.get(0)), kdf, mac);
            parameters = new IESParameters(info1, info2, macBits);
        } else {
            int keyBits = Integer.parseInt(cipher.substring(3, 6));
            parameters = new IESWithCipherParameters(info1, info2, macBits, keyBits);
            BufferedBlockCipher aes;
            if (cipher.endsWith("cbc")) {
                aes = new PaddedBufferedBlockCipher(new CBCBlockCipher(new AESEngine()));
            } else {
                aes = new BufferedBlockCipher(new SICBlockCipher(new AESEngine()));
                parameters = new ParametersWithIV(parameters, new byte[16]);
            }
            engine = new IESEngine(primitive(w.get(0)), kdf, mac, aes);
        }
        engine.init(seal, secret(w.get(4)), point(w.get(5)), parameters);
        byte[] text = octets(w.get(6));
        return engine.processBlock(text, 0, text.length);
    }

    // primitive, private key, public key, IV, text
    byte[] ecAes(List<String> w) throws Exception {
        BasicAgreement agreement = primitive(w.get(0));
        agreement.init(secret(w.get(1)));
        BigInteger z = agreement.calculateAgreement(point(w.get(2)));
        KDF2BytesGenerator kdf = new KDF2BytesGenerator(new SHA256Digest());
        byte[] shared = BigIntegers.asUnsignedByteArray(agreement.getFieldSize(), z);
        kdf.init(new KDFParameters(shared, null));
        byte[] key = new byte[32];
        kdf.generateBytes(key, 0, key.length);
        BufferedBlockCipher aes = new BufferedBlockCipher(new SICBlockCipher(new AESEngine()));
        aes.init(true, new ParametersWithIV(new KeyParameter(key), octets(w.get(3))));
        byte[] text = octets(w.get(4)), out = new byte[text.length];
        int done = aes.processBytes(text, 0, text.length, out, 0);
        aes.doFinal(out, done);
        return out;
    }

    // own static and ephemeral private keys, the other's static and ephemeral public keys
    byte[] ecmqv(List<String> w) {
        ECMQVBasicAgreement agreement = new ECMQVBasicAgreement();
        agreement.init(new MQVPrivateParameters(secret(w.get(0)), secret(w.get(1))));
        MQVPublicParameters other = new MQVPublicParameters(point(w.get(2)), point(w.get(3)));
        BigInteger z = agreement.calculateAgreement(other);
        return BigIntegers.asUnsignedByteArray(agreement.getFieldSize(), z);
    }

    byte[] answer(String what, List<String> w) throws Exception {
        switch (what) {
            case "seal": return ecies(true, w);
            case "open": return ecies(false, w);
            case "ec-aes": return ecAes(w);
            default: return ecmqv(w);
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            List<String> words = List.of(line.split(" "));
            String said;
            try {
                Peer peer = new Peer(words.get(1));
                byte[] made = peer.answer(words.get(0), words.subList(2, words.size()));
                said = made.length == 0 ? "-" : HEX.formatHex(made);
            } catch (CryptoException | IllegalArgumentException | IllegalStateException error) {
                said = "refused";
            }
            System.out.println(said);
        }
    }
}
