//! `tablepb-kafka produce BROKER COUNT [CODEC]`: writes so many orders, compressed with `gzip`, `snappy`, `lz4` or `zstd`. `tablepb-kafka consume BROKER DIRECTORY`: reads what is there into Arrow files.

use std::error::Error;
use std::path::Path;
use tablepb_kafka::{
    PARTITIONS, connect, consume::Consumer, consume::Progress, make_topic, partition, produce, schemas,
};

include!("../../../examples/common/say.rs");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["produce", broker, count] => write(broker, count.parse()?, "none").await,
        ["produce", broker, count, codec] => write(broker, count.parse()?, codec).await,
        ["consume", broker, directory] => read(broker, Path::new(directory)).await,
        _ => Err("usage: tablepb-kafka produce BROKER COUNT [CODEC] | consume BROKER DIRECTORY".into()),
    }
}

async fn write(broker: &str, count: usize, codec: &str) -> Result<(), Box<dyn Error>> {
    let compression = produce::codec(codec).ok_or("the codecs are none, gzip, snappy, lz4 and zstd")?;
    let (client, store) = (connect(broker).await?, schemas::store()?);
    make_topic(&client).await?;
    for number in 0..PARTITIONS {
        // Both versions go into both partitions.
        let here = |order: &usize| (order / 2) as i32 % PARTITIONS == number;
        let orders: Result<Vec<_>, _> =
            (0..count).filter(here).map(|order| produce::order(&store, order)).collect();
        produce::write(&partition(&client, number).await?, orders?, compression).await?;
    }
    say!("{count} orders");
    Ok(())
}

async fn read(broker: &str, directory: &Path) -> Result<(), Box<dyn Error>> {
    let client = connect(broker).await?;
    let mut consumer = Consumer::new(directory)?;
    for number in 0..PARTITIONS {
        let Progress { rows, lost } = consumer.read(number, &partition(&client, number).await?).await?;
        say!("partition {number}: {rows} rows");
        if lost > 0 {
            say!("partition {number}: {lost} records were deleted before they were read");
        }
    }
    Ok(())
}
